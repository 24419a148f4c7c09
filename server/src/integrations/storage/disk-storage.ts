import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { FSDriver } from 'flydrive/drivers/fs'
import { driveStorage } from './drive-storage.ts'
import type { Storage } from './storage.ts'

/** A folder of this machine. */
export function diskStorage(folder: string): Storage {
  const location = resolve(folder)
  const storage = driveStorage(new FSDriver({ location, visibility: 'private' }))
  return {
    ...storage,
    async put(key, content, about) {
      await storage.put(key, content, about)
      // A record must not outlive its file when the power fails.
      const path = join(location, key)
      for (const written of [path, dirname(path)]) await flush(written)
    },
    close() {},
  }
}

async function flush(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
