import { atomically, type Scope } from '#db/scope.ts'
import type { Storage } from '#outside/storage/storage.ts'
import { forgetFiles, takeLeftFiles } from './file-queries.ts'

const filesAtATime = 20

/** The file first, then the note of it: whoever is interrupted between the two only removes it once more. */
export async function removeLeftFiles(scope: Scope, storage: Storage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const removed = await atomically(scope, async (transaction) => {
      const keys = await takeLeftFiles(transaction, filesAtATime)
      await Promise.all(keys.map((key) => storage.remove(key)))
      await forgetFiles(transaction, keys)
      return keys.length
    })
    if (removed < filesAtATime) return
  }
}
