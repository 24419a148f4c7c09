import { sql } from 'kysely'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, Unavailable } from '#errors.ts'
import { enqueue } from '#queue/job.ts'
import { RemoveLeftFiles } from './media-jobs.ts'
import type { Placed } from './media.ts'

/**
 * Notes files before they are written, so that none is ever in the storage without a note; together with all others
 * of the organization they must fit. @throws Conflict
 */
export const noteFiles = (
  scope: Scope,
  files: readonly Pick<Placed, 'key' | 'sizeBytes'>[],
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
        sql<{
          used: number
        }>`select coalesce(sum(size_bytes), 0)::bigint as used from media_files where org_id = ${scope.orgId}`,
      ),
    ])
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (usage!.used + bytes > quotaBytes)
      throw new Conflict('quota-exceeded', 'The files of the organization would take more than they may.', {
        members: { used_bytes: usage!.used, needed_bytes: bytes, quota_bytes: quotaBytes },
      })
    await rows(
      transaction,
      sql`insert into media_files (org_id, key, size_bytes)
        select ${scope.orgId}, f.key, f.bytes
        from jsonb_to_recordset(${JSON.stringify(files.map(({ key, sizeBytes }) => ({ key, bytes: sizeBytes })))}::jsonb)
          as f (key text, bytes bigint)`,
    )
  })

/** From here on the files last as long as the record. */
export async function keepFiles(transaction: Transaction, mediaId: string, keys: readonly string[]) {
  const kept = await rows(
    transaction,
    sql`update media_files set media_id = ${mediaId}
      where org_id = ${transaction.orgId} and key = any(${keys}::text[]) and media_id is null returning key`,
  )
  if (kept.length < keys.length) throw new Unavailable('Storing the file took too long.')
}

/** Files that were written for nothing; those that a record keeps after all, stay. */
export const dropFiles = (scope: Scope, keys: readonly string[]): Promise<void> =>
  atomically(scope, async (transaction) => {
    await rows(
      transaction,
      sql`update media_files set kept_until = now() - interval '1 second'
        where org_id = ${scope.orgId} and key = any(${keys}::text[]) and media_id is null`,
    )
    await enqueue(transaction, RemoveLeftFiles, [{ payload: {} }])
  })

/** Lets go of the files of a record, which then can be removed. */
export async function letGo(transaction: Transaction, mediaId: string): Promise<void> {
  await rows(
    transaction,
    sql`update media_files set media_id = null, kept_until = now() - interval '1 second'
      where org_id = ${transaction.orgId} and media_id = ${mediaId}`,
  )
  await enqueue(transaction, RemoveLeftFiles, [{ payload: {} }])
}

/** Locked, so that nobody keeps what is being removed, and no two remove the same. */
export const takeLeftFiles = (transaction: Transaction, most: number): Promise<string[]> =>
  rows(
    transaction,
    sql<{ key: string }>`select key from media_files
      where org_id = ${transaction.orgId} and media_id is null and kept_until < now()
      order by kept_until limit ${most} for update skip locked`,
  ).then((found) => found.map(({ key }) => key))

export const forgetFiles = (transaction: Transaction, keys: readonly string[]) =>
  rows(
    transaction,
    sql`delete from media_files where org_id = ${transaction.orgId} and key = any(${keys}::text[]) and media_id is null`,
  )
