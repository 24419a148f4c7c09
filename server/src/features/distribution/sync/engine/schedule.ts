import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  forEachOrganization,
  forEachRow,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { events } from '#telemetry/log.ts'
import { nextFullSync } from '#features/distribution/channel-targets/full-sync-schedule.ts'
import {
  CheckTarget,
  SyncTarget,
  VerifyTarget,
  requestSync,
} from '#features/distribution/sync/schedule/request-sync.ts'
import { lockTargetsShared, markStale } from '#features/distribution/sync/state-queries.ts'
import { raiseAlerts } from '#features/messaging/alerts/queries.ts'

export const syncSchedule: readonly PeriodicTask[] = [
  { name: 'requeue-overdue-targets', intervalMs: 15_000, run: requeueOverdueTargets },
  { name: 'check-targets', intervalMs: 60_000, run: checkTargets },
  { name: 'reconcile-targets', intervalMs: 60_000, run: reconcileTargets },
  { name: 'raise-stale-alerts', intervalMs: 10_000, run: raiseStaleAlerts },
  { name: 'reconcile-sample', intervalMs: 10_000, run: reconcileSample },
  { name: 'verify-targets', intervalMs: 10_000, run: verifyDueTargets },
]

interface TargetRow {
  org_id: string
  channel_target_id: string
}

interface ListingRow {
  org_id: string
  channel_listing_id: string
}

const toTargetJob = ({ channel_target_id }: TargetRow) => ({ targetId: channel_target_id })

/** Enqueues the sync of targets whose job was lost. Returns their number. */
export async function requeueOverdueTargets(context: TaskContext): Promise<number> {
  const targets = await findInAllOrganizations(
    context,
    sql<TargetRow>`select * from overdue_targets(interval '15 seconds')`,
  )
  if (targets.length > 0) events.overdueSyncsRequeued(targets.length)
  await enqueueForEach(context, SyncTarget, targets, toTargetJob)
  return targets.length
}

/** Checks the health of targets that were not called for five minutes. */
async function checkTargets(context: TaskContext): Promise<void> {
  const targets = await findInAllOrganizations(
    context,
    sql<TargetRow>`select * from targets_to_check(interval '5 minutes')`,
  )
  await enqueueForEach(context, CheckTarget, targets, toTargetJob)
}

/**
 * Once a day, compares all nights of a target with the PMS and pushes the differences. A target with a full-sync
 * schedule is pushed in full at its times instead. Returns the number of targets.
 */
export async function reconcileTargets(context: TaskContext): Promise<number> {
  const targets = await findInAllOrganizations(context, sql<TargetRow>`select * from targets_to_reconcile()`)
  await forEachRow(context, targets, async (transaction, { channel_target_id: targetId }) => {
    // Locks the target before its row, in the same order as a worker, so that they cannot deadlock.
    await lockTargetsShared(transaction, { targetId })
    const cron = await findFullSyncCron(transaction, targetId)
    if (await setNextReconcile(transaction, targetId, cron === null ? null : nextFullSync(cron)))
      await requestSync(transaction, { targetId }, 'schedule', cron === null ? 'delta' : 'full')
  })
  return targets.length
}

/** The schedule of full syncs of a target; null when it has none. */
async function findFullSyncCron(transaction: Transaction, targetId: string): Promise<string | null> {
  const target = await first(
    transaction,
    sql<{ cron: string | null }>`
      select config ->> 'full_sync_cron' as cron
      from channel_targets
      where org_id = ${transaction.orgId} and id = ${targetId}`,
  )
  return target?.cron ?? null
}

/** Sets the next time: `next`, or a day after the last one. Returns false when another worker was faster. */
async function setNextReconcile(
  transaction: Transaction,
  targetId: string,
  next: Date | null,
): Promise<boolean> {
  const updated = await rows(
    transaction,
    sql`
      update target_syncs
      set
        reconciled_at = now(),
        reconcile_at = coalesce(
          ${next}::timestamptz,
          reconcile_at
            + make_interval(days => 1 + greatest(0, floor(extract(epoch from now() - reconcile_at) / 86400))::int)
        )
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and reconcile_at <= now()
      returning channel_target_id`,
  )
  return updated.length > 0
}

/** Raises an alert for each listing that has been behind for longer than its target allows. Returns their number. */
export async function raiseStaleAlerts(context: TaskContext): Promise<number> {
  const stale = await findInAllOrganizations(context, sql<ListingRow>`select * from listings_gone_stale()`)
  await forEachOrganization(context, stale, async (transaction, listings) => {
    const marked = await markStale(
      transaction,
      listings.map(({ channel_listing_id }) => channel_listing_id),
    )
    await raiseAlerts(
      transaction,
      marked.map(({ name, behind_since, ...ids }) => ({
        ...ids,
        kind: 'listing.stale' as const,
        message: `${name}: the PMS has not accepted changes since ${behind_since}.`,
        hint: 'Check the history of the listing for the responses of the PMS. Until the PMS is up to date, it may sell nights that are no longer free.',
      })),
    )
  })
  return stale.length
}

/** Compares a sample of listings with the PMS. Returns their number. */
export async function reconcileSample(context: TaskContext): Promise<number> {
  const sample = await findInAllOrganizations(context, sql<ListingRow>`select * from listings_to_verify()`)
  await forEachOrganization(context, sample, (transaction, listings) =>
    requestSync(
      transaction,
      { listingIds: listings.map(({ channel_listing_id }) => channel_listing_id) },
      'reconcile',
    ),
  )
  return sample.length
}

/** Reads back targets whose verification is due: its job was lost, or nothing was pushed for long. */
export async function verifyDueTargets(context: TaskContext): Promise<void> {
  const targets = await findInAllOrganizations(context, sql<TargetRow>`select * from targets_to_read_back()`)
  await enqueueForEach(context, VerifyTarget, targets, toTargetJob)
}
