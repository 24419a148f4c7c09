import { setTimeout as sleep } from 'node:timers/promises'
import type { ProgressIndicator } from './progress-indicator.ts'

const pollMs = 500
const working = new Set(['pending', 'planning', 'running'])

/** Reads an import or export again until it is planned or has ended, and shows how far it is. */
export async function followProgress<Work extends { status: string }>(
  begun: Work,
  read: () => Promise<Work>,
  show: (current: Work, progress: ProgressIndicator) => void,
  progress: ProgressIndicator,
): Promise<Work> {
  try {
    let current = begun
    while (working.has(current.status)) {
      show(current, progress)
      await sleep(pollMs)
      current = await read()
    }
    return current
  } finally {
    progress.clear()
  }
}
