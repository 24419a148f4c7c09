import { setTimeout as sleep } from 'node:timers/promises'
import type { ProgressIndicator } from './progress-indicator.ts'

const pollMs = 500

/** Reads an import again until it is planned or has ended, and shows how far it is. */
export async function followImport<Import extends { status: string }>(
  begun: Import,
  read: () => Promise<Import>,
  show: (current: Import, progress: ProgressIndicator) => void,
  progress: ProgressIndicator,
): Promise<Import> {
  try {
    let current = begun
    while (current.status === 'planning' || current.status === 'running') {
      show(current, progress)
      await sleep(pollMs)
      current = await read()
    }
    return current
  } finally {
    progress.clear()
  }
}
