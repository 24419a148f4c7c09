import type { Readable } from 'node:stream'

/** Where files lie: a folder of this machine, or a bucket. A key names one file for ever. */
export interface Storage {
  /** Writes the file whole, or throws; what was written of it by then may stay. @throws Unavailable */
  put(key: string, content: Readable, about: AboutFile): Promise<void>
  /** Null for a key that names nothing. @throws Unavailable */
  read(key: string): Promise<StoredFile | null>
  /** Its size in bytes; null for a key that names nothing. @throws Unavailable */
  sizeOf(key: string): Promise<number | null>
  /** Also when it is gone already. @throws Unavailable */
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
