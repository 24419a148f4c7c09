import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope } from '#db/scope.ts'
import { BadRequest, Conflict } from '#errors.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { enqueue } from '#queue/job.ts'
import { detectContentType } from './detect-content-type.ts'
import type { RunInTurn } from './fair-queue.ts'
import { RemoveOrphanedFiles } from './jobs.ts'
import { extensions, type ContentType, type StoredFile } from './media.ts'
import type { ReceivedFile } from './receive-file.ts'

export interface StoreFileOptions {
  readonly storage: Storage
  readonly quotaBytes: number
  /** Limits how many pictures are processed at once: each takes a processor and much memory. */
  readonly runInTurn: RunInTurn
}

export interface StoredFiles {
  readonly original: StoredFile
  readonly renditions: readonly (StoredFile & { readonly name: string })[]
}

interface PreparedFile {
  readonly name: string
  readonly path: string
  readonly contentType: ContentType
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
}

/**
 * Checks a received file, creates the renditions of a picture, and writes all of them to the storage, where anybody who
 * knows the key can read them. @throws BadRequest, Conflict, Unavailable
 */
export async function storeFile(
  scope: Scope,
  { storage, quotaBytes, runInTurn }: StoreFileOptions,
  { path, sizeBytes }: ReceivedFile,
  folder: string,
): Promise<StoredFiles> {
  const contentType = await detectContentType(path, sizeBytes)
  if (!contentType)
    throw new BadRequest(
      'unsupported-media',
      'The content of the file is not JPEG, PNG, WebP, AVIF, GIF or PDF.',
    )
  const prepared: PreparedFile[] =
    contentType === 'application/pdf'
      ? [{ name: 'original', path, contentType, sizeBytes, width: null, height: null }]
      : await runInTurn(scope.orgId, async () => {
          // The image library is loaded by the first picture, so that processes without uploads start faster.
          const { makePictures } = await import('./make-pictures.ts')
          const { original, renditions } = await makePictures(path, contentType, folder)
          return [original, ...renditions]
        })
  const files = await Promise.all(
    prepared.map(async (file) => ({ ...file, ...(await keyAndChecksum(scope, file)) })),
  )
  await reserveFiles(scope, files, quotaBytes)
  try {
    for (const file of files) await storage.put(file.key, createReadStream(file.path), file)
  } catch (error) {
    await discardStored(scope, files)
    throw error
  }
  const [original, ...renditions] = files
  return { original: original!, renditions }
}

/** Makes stored files that no record uses orphans, and enqueues their removal. A file that a record uses is kept. */
export const discardStored = (scope: Scope, files: readonly { key: string }[]): Promise<void> =>
  atomically(scope, async (transaction) => {
    const keys = files.map(({ key }) => key)
    await rows(
      transaction,
      sql`
        update media_files
        set kept_until = now() - interval '1 second'
        where org_id = ${scope.orgId} and key = any(${keys}::text[]) and media_id is null`,
    )
    await enqueue(transaction, RemoveOrphanedFiles, [{ payload: {} }])
  })

/**
 * Inserts the rows of files before the files are written, so that every file in the storage has a row. The lock makes
 * concurrent uploads of an organization count each other's files against the quota. @throws Conflict
 */
const reserveFiles = (
  scope: Scope,
  files: readonly Pick<StoredFile, 'key' | 'sizeBytes'>[],
  quotaBytes: number,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const [, [usage]] = await Promise.all([
      rows(
        transaction,
        sql`select pg_advisory_xact_lock(hashtextextended('media ' || ${scope.orgId}::text, 0))`,
      ),
      rows(
        transaction,
        sql<{ bytes: number }>`
          select coalesce(sum(size_bytes), 0)::bigint as bytes
          from media_files
          where org_id = ${scope.orgId}`,
      ),
    ])
    const usedBytes = usage!.bytes
    const neededBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (usedBytes + neededBytes > quotaBytes)
      throw new Conflict(
        'quota-exceeded',
        'The file does not fit in the storage quota of the organization.',
        {
          members: { used_bytes: usedBytes, needed_bytes: neededBytes, quota_bytes: quotaBytes },
        },
      )
    const newRows = files.map(({ key, sizeBytes }) => ({ key, size_bytes: sizeBytes }))
    await rows(
      transaction,
      sql`
        insert into media_files (org_id, key, size_bytes)
        select ${scope.orgId}, file.key, file.size_bytes
        from jsonb_to_recordset(${JSON.stringify(newRows)}::jsonb) as file (key text, size_bytes bigint)`,
    )
  })

/** The key has 192 random bits, because whoever knows the key can read the file. */
async function keyAndChecksum({ orgId }: Scope, { path, contentType }: PreparedFile) {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return {
    key: `${orgId}/${randomBytes(24).toString('base64url')}.${extensions[contentType]}`,
    checksum: `sha256:${hash.digest('hex')}`,
  }
}
