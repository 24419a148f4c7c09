import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** A tar archive of a folder, in the format of POSIX (ustar). Its size is known before it is written, as storages want it. */

export interface TarFile {
  readonly sizeBytes: number
  /** The bytes of the archive, a part at a time. */
  content(): AsyncGenerator<Buffer>
}

const blockBytes = 512

/** The files of the folder, below `name`. They must not change while they are read. */
export async function tarOf(folder: string, name: string): Promise<TarFile> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: { path: string; header: Buffer; sizeBytes: number }[] = []
  for (const entry of found) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const { size } = await stat(path)
    files.push({ path, header: headerOf(join(name, relative(folder, path)), size), sizeBytes: size })
  }
  const sizeBytes = files.reduce((sum, file) => sum + blockBytes + padded(file.sizeBytes), 2 * blockBytes)
  return {
    sizeBytes,
    async *content() {
      for (const { path, header, sizeBytes } of files) {
        yield header
        for await (const chunk of createReadStream(path)) yield chunk as Buffer
        const padding = padded(sizeBytes) - sizeBytes
        if (padding > 0) yield Buffer.alloc(padding)
      }
      yield Buffer.alloc(2 * blockBytes)
    },
  }
}

const padded = (bytes: number) => Math.ceil(bytes / blockBytes) * blockBytes

function headerOf(name: string, sizeBytes: number): Buffer {
  const header = Buffer.alloc(blockBytes)
  if (header.write(name, 0, 100) < Buffer.byteLength(name))
    throw new Error(`${name} is too long for an archive.`)
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at)
  octal(0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  // From 8 GiB on the twelfth digit takes the place of the end mark, which readers accept.
  octal(sizeBytes, 124, 11)
  octal(Math.floor(Date.now() / 1_000), 136, 11)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\0' + '00', 257)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  )
  header.writeUInt8(0, 154)
  return header
}
