import type { Readable } from 'node:stream'

/** The storage of files: a folder of this machine, or a bucket. A key identifies one file for ever. */
export interface Storage {
  /** Writes the whole file or throws; a part of it may remain. @throws Unavailable */
  put(key: string, content: Readable, about: AboutFile): Promise<void>
  /** Null for an unknown key. @throws Unavailable */
  read(key: string): Promise<StoredFile | null>
  /** Its size in bytes; null for an unknown key. @throws Unavailable */
  sizeOf(key: string): Promise<number | null>
  /** Succeeds also when the file does not exist. @throws Unavailable */
  remove(key: string): Promise<void>
  close(): void
}

interface AboutFile {
  readonly contentType: string
  readonly sizeBytes: number
}

interface StoredFile {
  readonly content: Readable
  readonly sizeBytes: number
}

/** Loads the storage when it is first used: its libraries are large, and few requests need files. */
export function lazyStorage(load: () => Promise<Storage>): Storage {
  let loaded: Promise<Storage> | undefined
  const storage = () => (loaded ??= load())
  return {
    async put(key, content, about) {
      // Without a listener, an error before the storage is loaded would end the process.
      content.on('error', () => {})
      await (await storage()).put(key, content, about)
    },
    read: async (key) => await (await storage()).read(key),
    sizeOf: async (key) => await (await storage()).sizeOf(key),
    remove: async (key) => await (await storage()).remove(key),
    close: () => void loaded?.then((one) => one.close()),
  }
}
