import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import type { PeriodicTask } from '#queue/periodic-task.ts'

/** Leaves the disk and the locks to others between two batches. */
const pauseMs = 50

interface Retention {
  readonly notificationDays: number
}

export const retentionSchedule = (retention: Retention): readonly PeriodicTask[] => [
  {
    name: 'delete-expired',
    intervalMs: 60_000,
    run: ({ database }, signal) => deleteExpired(database, retention, signal),
  },
]

/**
 * Makes the partitions of the time to come, drops those that are past their retention, and deletes such rows of other
 * tables, in batches, until none is left. So the size of the tables is bounded at any rate of writes. Returns the
 * number of dropped partitions, and of deleted rows by table. Stops early when it is aborted.
 * @throws Error when a deletion has failed, after the others
 */
export async function deleteExpired(
  database: Database,
  { notificationDays }: Retention,
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  await database.pipelined({ orgId: null }, [sql`select make_partitions()`])
  await database.pipelined({ orgId: null }, [sql`select number_restored_events()`])
  const deleted: Record<string, number> = {}
  const failures = new Map<string, unknown>()
  for (const [table, deleteBatch] of Object.entries(batchStatements(notificationDays)))
    try {
      deleted[table] = await deleteBatches(database, deleteBatch, signal)
    } catch (error) {
      // Those of the other tables, which may name guests, are deleted all the same.
      failures.set(table, error)
    }
  const [cause] = failures.values()
  if (failures.size > 0)
    throw new Error(`Expired rows were not deleted: ${[...failures.keys()].join(', ')}.`, { cause })
  return deleted
}

async function deleteBatches(
  database: Database,
  deleteBatch: Statement<{ deleted: number }>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0
  while (!signal?.aborted) {
    const [[row]] = await database.pipelined({ orgId: null }, [deleteBatch])
    if (!row || row.deleted === 0) break
    deleted += row.deleted
    await sleep(pauseMs)
  }
  return deleted
}

/** Each statement deletes one batch of limited size in its own transaction, and returns the number of rows. */
const batchStatements = (notificationDays: number): Record<string, Statement<{ deleted: number }>> => ({
  partitions: sql`select drop_partition() as deleted`,
  revoked_tokens: sql`select forget_expired() as deleted`,
  quotes: sql`select forget_quotes() as deleted`,
  unrouted_webhooks: sql`select forget_webhooks_batch() as deleted`,
  booking_conflicts: sql`select forget_pms_bookings_batch() as deleted`,
  notifications: sql`select forget_notifications(${notificationDays}::int) as deleted`,
  calendar_changes: sql`select forget_calendar_changes() as deleted`,
  file_imports: sql`select forget_file_imports() as deleted`,
  payment_notices: sql`select forget_payment_notices_batch() as deleted`,
})
