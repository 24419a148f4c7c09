import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { Storage } from '#integrations/storage/storage.ts'

const batchSize = 20

/**
 * Removes the files of an organization that belong to no record. The stored file is removed before its row: after an
 * interruption between the two, the file is removed once more, and none is forgotten.
 */
export async function removeOrphanedFiles(
  scope: Scope,
  storage: Storage,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const removedCount = await atomically(scope, async (transaction) => {
      const keys = await lockOrphanedFiles(transaction)
      await Promise.all(keys.map((key) => storage.remove(key)))
      await deleteFileRows(transaction, keys)
      return keys.length
    })
    if (removedCount < batchSize) return
  }
}

/** The rows are locked, so that no record attaches a file that is being removed, and no two workers remove the same. */
async function lockOrphanedFiles(transaction: Transaction): Promise<string[]> {
  const found = await rows(
    transaction,
    sql<{ key: string }>`
      select key
      from media_files
      where org_id = ${transaction.orgId} and media_id is null and kept_until < now()
      order by kept_until
      limit ${batchSize}
      for update skip locked`,
  )
  return found.map(({ key }) => key)
}

const deleteFileRows = (transaction: Transaction, keys: readonly string[]) =>
  rows(
    transaction,
    sql`
      delete from media_files
      where org_id = ${transaction.orgId} and key = any(${keys}::text[]) and media_id is null`,
  )
