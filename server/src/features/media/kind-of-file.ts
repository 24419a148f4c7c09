import { open } from 'node:fs/promises'
import type { ContentType } from './media.ts'

/** What a file is by its own bytes; null for all else. Names and declared types are nobody's proof. */
export async function kindOfFile(path: string, sizeBytes: number): Promise<ContentType | null> {
  const handle = await open(path, 'r')
  try {
    const head = Buffer.alloc(64)
    await handle.read(head, 0, head.length, 0)
    const kind = kindOfHead(head)
    if (kind !== 'application/pdf') return kind
    const tail = Buffer.alloc(Math.min(sizeBytes, 1_024))
    await handle.read(tail, 0, tail.length, sizeBytes - tail.length)
    return tail.includes('%%EOF') ? kind : null
  } finally {
    await handle.close()
  }
}

function kindOfHead(head: Buffer): ContentType | null {
  const says = (text: string, at = 0) =>
    head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))
  if (says('\xff\xd8\xff')) return 'image/jpeg'
  if (says('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (says('GIF87a') || says('GIF89a')) return 'image/gif'
  if (says('RIFF') && says('WEBP', 8)) return 'image/webp'
  if (says('%PDF-')) return 'application/pdf'
  if (!says('ftyp', 4)) return null
  const brands = head.subarray(8, Math.min(head.readUInt32BE(0), head.length)).toString('latin1')
  return /avi[fs]/.test(brands) ? 'image/avif' : null
}
