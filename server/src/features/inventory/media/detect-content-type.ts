import { open } from 'node:fs/promises'
import type { ContentType } from './media.ts'

/** The content type by the bytes of the file, null when it is not an accepted one. Names and declared types are ignored. */
export async function detectContentType(path: string, sizeBytes: number): Promise<ContentType | null> {
  await using handle = await open(path, 'r')
  const head = Buffer.alloc(64)
  await handle.read(head, 0, head.length, 0)
  const contentType = contentTypeOf(head)
  if (contentType !== 'application/pdf') return contentType
  const tail = Buffer.alloc(Math.min(sizeBytes, 1_024))
  await handle.read(tail, 0, tail.length, sizeBytes - tail.length)
  return tail.includes('%%EOF') ? contentType : null
}

function contentTypeOf(head: Buffer): ContentType | null {
  const hasBytes = (text: string, at = 0) =>
    head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))
  if (hasBytes('\xff\xd8\xff')) return 'image/jpeg'
  if (hasBytes('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (hasBytes('GIF87a') || hasBytes('GIF89a')) return 'image/gif'
  if (hasBytes('RIFF') && hasBytes('WEBP', 8)) return 'image/webp'
  if (hasBytes('%PDF-')) return 'application/pdf'
  if (!hasBytes('ftyp', 4)) return null
  const brands = head.subarray(8, Math.min(head.readUInt32BE(0), head.length)).toString('latin1')
  return /avi[fs]/.test(brands) ? 'image/avif' : null
}
