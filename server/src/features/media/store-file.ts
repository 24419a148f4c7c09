import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Malformed } from '#errors.ts'
import type { Scope } from '#db/scope.ts'
import type { Storage } from '#outside/storage/storage.ts'
import { dropFiles, noteFiles } from './file-queries.ts'
import { kindOfFile } from './kind-of-file.ts'
import { extensions, type ContentType, type Placed } from './media.ts'
import type { Received } from './receive-file.ts'
import type { InTurn } from './turns.ts'

export interface Means {
  readonly storage: Storage
  readonly quotaBytes: number
  /** For what takes a processor and much memory. */
  readonly inTurn: InTurn
}

export interface StoredFiles {
  readonly original: Placed
  readonly renditions: readonly (Placed & { readonly name: string })[]
}

interface Ready {
  readonly name: string
  readonly path: string
  readonly contentType: ContentType
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
}

/** From a file that somebody sent to files in the storage that anybody may read. @throws Malformed, Conflict, Unavailable */
export async function storeFile(
  scope: Scope,
  { storage, quotaBytes, inTurn }: Means,
  { path, sizeBytes }: Received,
  folder: string,
): Promise<StoredFiles> {
  const contentType = await kindOfFile(path, sizeBytes)
  if (!contentType)
    throw new Malformed(
      'unsupported-media',
      'The file is no JPEG, PNG, WebP, AVIF, GIF or PDF, whatever its name says.',
    )
  const ready: Ready[] =
    contentType === 'application/pdf'
      ? [{ name: 'original', path, contentType, sizeBytes, width: null, height: null }]
      : await inTurn(scope.orgId, async () => {
          // The library is loaded by the first picture, not by every start.
          const { makePictures } = await import('./make-pictures.ts')
          const { original, renditions } = await makePictures(path, contentType, folder)
          return [original, ...renditions]
        })
  const files = await Promise.all(ready.map(async (one) => ({ ...one, ...(await named(scope, one)) })))
  await noteFiles(scope, files, quotaBytes)
  try {
    for (const file of files) await storage.put(file.key, createReadStream(file.path), file)
  } catch (error) {
    await dropStored(scope, files)
    throw error
  }
  const [original, ...renditions] = files
  return { original: original!, renditions }
}

/** Takes files back that no record was made for. */
export const dropStored = (scope: Scope, files: readonly { key: string }[]) =>
  dropFiles(
    scope,
    files.map(({ key }) => key),
  )

/** The key is the only thing that keeps a file from strangers: 192 bits that nobody can guess. */
async function named({ orgId }: Scope, { path, contentType }: Ready) {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return {
    key: `${orgId}/${randomBytes(24).toString('base64url')}.${extensions[contentType]}`,
    checksum: `sha256:${hash.digest('hex')}`,
  }
}
