import { Readable } from 'node:stream'
import type { Storage } from '#integrations/storage/storage.ts'

/** A stored file, or null; HEAD is answered without reading it. */
export async function openFile(storage: Storage, key: string, method: string) {
  if (method !== 'HEAD') return await storage.read(key)
  const sizeBytes = await storage.sizeOf(key)
  return sizeBytes === null ? null : { sizeBytes, content: Readable.from([]) }
}
