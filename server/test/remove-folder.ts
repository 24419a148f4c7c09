import { rmSync } from 'node:fs'

/** Removes a folder with what other processes, such as a database that is ending, still write into it meanwhile. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
