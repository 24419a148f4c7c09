import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { semanticError } from '#errors.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { extensions } from '#features/inventory/media/media.ts'
import { digestFile, readLinesOf, writeLines } from './line-files.ts'
import { pathOfMedia, pathOfMediaList, pathOfTable, type Manifest } from './manifest.ts'

interface MediaFile {
  readonly key: string
  readonly size_bytes: number
}

interface ExportedMedia {
  readonly media: Manifest['media']
  /** Files that the storage does not have, such as those of a photo that was deleted during the export. */
  readonly missing: readonly string[]
}

/** Reading a file from a bucket is mostly waiting. */
const copiesAtOnce = 16

/** Copies the files that the exported records name from the storage, and lists their checksums. */
export async function exportMedia(
  storage: Storage,
  folder: string,
  onFile: (files: number) => void,
): Promise<ExportedMedia> {
  const missing: string[] = []
  let bytes = 0
  let files = 0
  const copy = async ({ key }: MediaFile): Promise<string | undefined> => {
    const stored = await storage.read(key)
    if (!stored) return void missing.push(key)
    const path = pathOfMedia(folder, key)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const hash = createHash('sha256')
    await pipeline(
      stored.content,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    )
    bytes += stored.sizeBytes
    onFile(++files)
    return `${hash.digest('hex')}  media/${key}`
  }
  async function* copyAll() {
    for await (const lines of readLinesOf(pathOfTable(folder, 'media_files')))
      for (let at = 0; at < lines.length; at += copiesAtOnce) {
        const found = lines.slice(at, at + copiesAtOnce).map((line) => JSON.parse(line) as MediaFile)
        const copies = found.map(copy)
        // When one fails, none may still write into the folder, which is removed.
        await Promise.allSettled(copies)
        yield (await Promise.all(copies)).filter((line) => line !== undefined)
      }
  }
  const { rows, sha256 } = await writeLines(pathOfMediaList(folder), copyAll())
  return { media: { files: rows, bytes, sha256 }, missing }
}

/** The checksum of the list is known to be right. @throws Invalid */
export async function assertMediaIntact(folder: string): Promise<void> {
  for await (const lines of readLinesOf(pathOfMediaList(folder)))
    for (const line of lines) {
      const [, sha256, key] = /^([0-9a-f]{64}) {2}media\/([\w/.-]+)$/.exec(line) ?? []
      const found = key && (await digestFile(pathOfMedia(folder, key)).catch(() => null))
      if (!found || found !== sha256)
        throw semanticError('folder', `media/${key} was changed or is missing: export again.`)
    }
}

/** Copies files into the storage. A file that it has already is not copied again, so that an import can be repeated. */
export async function importMedia(
  storage: Storage,
  folder: string,
  orgId: string,
  onFile: (files: number) => void,
): Promise<void> {
  const isOwnKey = new RegExp(`^${orgId}/[\\w-]+\\.[a-z0-9]+$`)
  let files = 0
  for await (const { key, size_bytes: sizeBytes } of mediaFilesOf(folder)) {
    // A key of another organization, or one that leaves the folder, would overwrite what is not of the export.
    if (!isOwnKey.test(key)) throw semanticError('folder', `${key} is not the key of a file of ${orgId}.`)
    onFile(++files)
    if ((await storage.sizeOf(key)) === sizeBytes) continue
    const about = { contentType: contentTypeOf(key), sizeBytes }
    await storage.put(key, createReadStream(pathOfMedia(folder, key)), about)
  }
}

/** The content type of a media file, by the ending of its key. */
export const contentTypeOf = (key: string): string =>
  typesByEnding.get(key.split('.').at(-1)!) ?? 'application/octet-stream'

const typesByEnding = new Map(Object.entries(extensions).map(([type, extension]) => [extension, type]))

async function* mediaFilesOf(folder: string): AsyncGenerator<MediaFile> {
  for await (const lines of readLinesOf(pathOfTable(folder, 'media_files')))
    for (const line of lines) yield JSON.parse(line) as MediaFile
}
