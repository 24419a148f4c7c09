import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, rows, type Transaction } from '#db/scope.ts'

/** Questions across organizations: the functions behind them answer with ids only. */

type TargetIds = { org_id: string; channel_target_id: string }[]

export async function overdueTargets(database: Database): Promise<TargetIds> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from overdue_targets(interval '15 seconds')`,
  ])
  return found as TargetIds
}

export async function targetsToReconcile(database: Database): Promise<TargetIds> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from targets_to_reconcile()`])
  return found as TargetIds
}

/** The schedule of its full syncs; null when it has none. */
export async function findFullSyncCron(transaction: Transaction, targetId: string): Promise<string | null> {
  const target = await first(
    transaction,
    sql<{ cron: string | null }>`select config ->> 'full_sync_cron' as cron from channel_targets
      where org_id = ${transaction.orgId} and id = ${targetId}`,
  )
  return target?.cron ?? null
}

/**
 * Sets when it is due next: at a time, or a day after it was due now. Answers whether it was still due: another worker
 * may have been faster.
 */
export async function setNextReconcile(
  transaction: Transaction,
  targetId: string,
  next: Date | null,
): Promise<boolean> {
  const taken = await rows(
    transaction,
    sql`update target_syncs set reconciled_at = now(), reconcile_at = coalesce(${next}::timestamptz, reconcile_at
          + make_interval(days => 1 + greatest(0, floor(extract(epoch from now() - reconcile_at) / 86400))::int))
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and reconcile_at <= now()
      returning channel_target_id`,
  )
  return taken.length > 0
}

export async function targetsToReadBack(database: Database): Promise<TargetIds> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from targets_to_read_back()`])
  return found as TargetIds
}

type ListingIds = { org_id: string; channel_listing_id: string }[]

export async function listingsToVerify(database: Database): Promise<ListingIds> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from listings_to_verify()`])
  return found as ListingIds
}

export async function listingsGoneStale(database: Database): Promise<ListingIds> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from listings_gone_stale()`])
  return found as ListingIds
}

export const markStale = (transaction: Transaction, listingIds: readonly string[]) =>
  rows(
    transaction,
    sql<{
      account_id: string
      channel_listing_id: string
      channel_target_id: string
      unit_id: string
      name: string
      behind_since: string
    }>`update listing_syncs s set stale_since = now(), changed_at = clock_timestamp()
      from channel_listings l join units u on u.org_id = l.org_id and u.id = l.unit_id
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = any(${listingIds}::uuid[])
        and s.behind_since is not null and s.stale_since is null
        and l.org_id = s.org_id and l.id = s.channel_listing_id
      returning l.account_id, s.channel_listing_id, s.channel_target_id, s.unit_id, u.name, s.behind_since`,
  )

export async function targetsToCheck(
  database: Database,
): Promise<{ org_id: string; channel_target_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from targets_to_check(interval '5 minutes')`,
  ])
  return found as { org_id: string; channel_target_id: string }[]
}

export async function calendarFeedsToFetch(
  database: Database,
): Promise<{ org_id: string; calendar_feed_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from calendar_feeds_to_fetch()`])
  return found as { org_id: string; calendar_feed_id: string }[]
}

export async function targetsToAskForBookings(database: Database): Promise<TargetIds> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from targets_to_ask_for_bookings()`,
  ])
  return found as TargetIds
}

export async function bookingConflictsToRetry(
  database: Database,
): Promise<{ org_id: string; booking_conflict_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from booking_conflicts_to_retry()`])
  return found as { org_id: string; booking_conflict_id: string }[]
}

export async function holdsToExpire(database: Database): Promise<{ org_id: string; booking_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from holds_to_expire(interval '15 seconds')`,
  ])
  return found as { org_id: string; booking_id: string }[]
}

export async function paymentsToSettle(database: Database) {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from payments_to_settle(interval '15 seconds')`,
  ])
  return found as { org_id: string; payment_intent_id: string; payment_refund_id: string | null }[]
}

export async function identityConflictsToClose(database: Database): Promise<{ org_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from identity_conflicts_to_close(interval '7 days')`,
  ])
  return found as { org_id: string }[]
}

export async function organizationsWithLeftFiles(database: Database): Promise<{ org_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from organizations_with_left_files()`,
  ])
  return found as { org_id: string }[]
}

export async function guestErasuresToWork(
  database: Database,
): Promise<{ org_id: string; guest_erasure_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from guest_erasures_to_work()`])
  return found as { org_id: string; guest_erasure_id: string }[]
}

/** Bookings whose guest is of no use any more, the longest past first. */
export async function guestsToForget(
  database: Database,
  usualDays: number,
  most: number,
): Promise<{ org_id: string; booking_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from guests_to_forget(${usualDays}::int, ${most}::int)`,
  ])
  return found as { org_id: string; booking_id: string }[]
}

export async function webhookEndpointsDue(
  database: Database,
): Promise<{ org_id: string; webhook_endpoint_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from webhook_endpoints_due()`])
  return found as { org_id: string; webhook_endpoint_id: string }[]
}

/** Each call deletes one bounded batch in a transaction of its own, and answers how many rows that were. */
export const batchesToDelete = (
  notificationDays: number,
): Record<string, RawBuilder<{ deleted: number }>> => ({
  idempotency_keys: sql`select forget_expired() as deleted`,
  quotes: sql`select forget_quotes() as deleted`,
  webhook_messages: sql`select forget_webhooks_batch() as deleted`,
  events: sql`select forget_events() as deleted`,
  booking_conflicts: sql`select forget_pms_bookings_batch() as deleted`,
  notifications: sql`select forget_notifications(${notificationDays}::int) as deleted`,
  payment_notices: sql`select forget_payment_notices_batch() as deleted`,
})
