import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db/connect.ts'
import { batchesToDelete } from './queries.ts'

/** Between two batches others have the disk and the locks. */
const pauseMs = 50

/**
 * Deletes everything that is past its time, batch after batch, until nothing of it is left: at any rate of writing the
 * tables stay as small as their terms say. Answers how many rows were deleted, by table. Ends early when it is stopped.
 */
export async function deleteExpired(
  database: Database,
  { notificationDays }: { notificationDays: number },
  stopping?: AbortSignal,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const [table, batch] of Object.entries(batchesToDelete(notificationDays))) {
    deleted[table] = 0
    while (!stopping?.aborted) {
      const [found] = await database.pipelined({ orgId: null }, [batch])
      const [row] = found as { deleted: number }[]
      if (!row || row.deleted === 0) break
      deleted[table] += row.deleted
      await sleep(pauseMs)
    }
  }
  return deleted
}
