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
