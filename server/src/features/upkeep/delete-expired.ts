import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#db/connect.ts'

/** Each call deletes one bounded batch in a transaction of its own, and answers how many rows that were. */
const batches = (notificationDays: number): Record<string, RawBuilder<{ deleted: number }>> => ({
  idempotency_keys: sql`select forget_expired() as deleted`,
  quotes: sql`select forget_quotes() as deleted`,
  webhook_messages: sql`select forget_webhooks_batch() as deleted`,
  events: sql`select forget_events() as deleted`,
  booking_conflicts: sql`select forget_pms_bookings_batch() as deleted`,
  notifications: sql`select forget_notifications(${notificationDays}::int) as deleted`,
  payment_notices: sql`select forget_payment_notices_batch() as deleted`,
})

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
  for (const [table, batch] of Object.entries(batches(notificationDays))) {
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
