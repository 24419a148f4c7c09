import { sql, type NotNull } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { recordListingEvents } from '#features/distribution/sync/listing-events.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { StoredMonth } from '#features/distribution/sync/diff/calendar-grid.ts'
import type { AttemptResult } from '#features/distribution/sync/state-queries.ts'
import { enqueue } from '#queue/job.ts'
import { VerifyTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { minPause, type VerificationTiming } from '#features/distribution/sync/state.ts'

/**
 * Locks the listing before its target, and the target before its sync state: the order of all writers, which prevents
 * deadlocks.
 */
export const lockListings = async (transaction: Transaction, listingIds: readonly string[]) =>
  listingIds.length > 0 &&
  rows(
    transaction,
    sql`select 1
      from channel_listings
      where org_id = ${transaction.orgId}
        and id = any(${listingIds}::uuid[])
      order by id
      for no key update`,
  )

/** Only those whose results were written: their claims are gone. Returns the listings that have another status. */
export const updateListingStatus = async (transaction: Transaction, results: readonly AttemptResult[]) =>
  results.length === 0
    ? []
    : await rows(
        transaction,
        sql<{ json: string }>`update channel_listings listing
      set status = ${statusAfter},
        updated_at = clock_timestamp()
      from jsonb_to_recordset(${JSON.stringify(results.map(({ listing_id, result }) => ({ listing_id, result })))}::jsonb)
          as result (listing_id uuid, result text),
        listing_syncs sync
      where listing.org_id = ${transaction.orgId}
        and listing.id = any(${results.map(({ listing_id }) => listing_id)}::uuid[])
        and listing.id = result.listing_id
        and listing.status <> 'paused'
        and listing.status <> ${statusAfter}
        and sync.org_id = listing.org_id
        and sync.channel_listing_id = listing.id
        and sync.claim is null
        and (sync.status = 'failed' or result.result = 'accepted')
      returning listing.json`,
      )

const statusAfter = sql`(case when sync.status = 'failed' then 'error' else 'active' end)`

export const markListingsFailed = async (transaction: Transaction, listingIds: readonly string[]) =>
  recordListingEvents(
    transaction,
    'listing.updated',
    await rows(
      transaction,
      sql<{ json: string }>`update channel_listings
        set status = 'error',
          updated_at = clock_timestamp()
        where org_id = ${transaction.orgId}
          and id = any(${listingIds}::uuid[])
          and status not in ('paused', 'error')
        returning json`,
    ),
  )

export interface AcceptedMonth {
  listing_id: string
  month: string
  nights: StoredMonth
}

/** The values that the PMS accepted, by listing and month. */
export const listAcceptedMonths = (
  scope: Scope,
  windows: readonly { listing_id: string; first_night: string; last_night: string }[],
) =>
  rows(
    scope,
    sql<AcceptedMonth>`
      select accepted.channel_listing_id as listing_id, accepted.month, accepted.nights
      from jsonb_to_recordset(${JSON.stringify(windows)}::jsonb)
        as night_window (listing_id uuid, first_night date, last_night date)
      cross join lateral (
        select *
        from accepted_months
        where org_id = ${scope.orgId}
          and channel_listing_id = night_window.listing_id
          and month between date_trunc('month', night_window.first_night) and night_window.last_night
        offset 0) accepted`,
  )

/** Saves what the PMS accepted, for listings whose results were recorded. */
export const saveAcceptedMonths = (transaction: Transaction, months: readonly AcceptedMonth[]) =>
  rows(
    transaction,
    sql`insert into accepted_months (org_id, channel_listing_id, month, nights)
      select ${transaction.orgId}, accepted.listing_id, accepted.month, accepted.nights
      from jsonb_to_recordset(${JSON.stringify(months)}::jsonb)
        as accepted (listing_id uuid, month date, nights jsonb)
      on conflict (org_id, channel_listing_id, month) do update
      set nights = excluded.nights`,
  )

const maxDifferences = 100

interface ReadBack {
  listing_id: string
  in_sync: boolean
  differences: readonly object[]
}

/** Saves what the PMS showed when it was read back: the first differences. */
export const saveReadBacks = (transaction: Transaction, readBacks: readonly ReadBack[]) =>
  rows(
    transaction,
    sql`insert into listing_checks (org_id, channel_listing_id, checked_at, in_sync, differences)
      select ${transaction.orgId}, seen.listing_id, clock_timestamp(), seen.in_sync, seen.differences
      from jsonb_to_recordset(${JSON.stringify(readBacks.map(withFirstDifferences))}::jsonb)
        as seen (listing_id uuid, in_sync boolean, differences jsonb)
      where exists (
        select
        from channel_listings listing
        where listing.org_id = ${transaction.orgId}
          and listing.id = seen.listing_id
        offset 0)
      on conflict (channel_listing_id) do update
      set checked_at = excluded.checked_at,
        in_sync = excluded.in_sync,
        differences = excluded.differences`,
  )

const withFirstDifferences = (readBack: ReadBack) => ({
  ...readBack,
  differences: readBack.differences.slice(0, maxDifferences),
})

/** Gives a listing the ids under which its unit was created at the PMS, while the attempt holds its claim. */
export async function saveCreatedIds(
  transaction: Transaction,
  listing: { id: string; claim: string },
  created: { external_id: string; rate_plans: { rate_plan_id: string; external_id: string }[] },
) {
  const saved = await rows(
    transaction,
    sql<{ id: string; json: string }>`update channel_listings listing
      set external_id = ${created.external_id},
        rate_plans = ${JSON.stringify(created.rate_plans)}::jsonb,
        updated_at = now(),
        version = version + 1
      where listing.org_id = ${transaction.orgId}
        and listing.id = ${listing.id}
        and exists (
          select 1
          from listing_syncs sync
          where sync.org_id = listing.org_id
            and sync.channel_listing_id = listing.id
            and sync.claim = ${listing.claim})
      returning listing.id, listing.json`,
  )
  await recordListingEvents(transaction, 'listing.updated', saved)
  return saved
}

/** The external ids of other listings of the target. */
export const listExternalIds = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql<{ external_id: NotNull<string> }>`select external_id
      from channel_listings
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and external_id is not null`,
  ).then((found) => found.map(({ external_id }) => external_id))

/** Marks the job for checks as started, and returns the target if its PMS may be called now. */
export const beginChecks = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<TargetConnection>`
      with begun as (
        update target_syncs
        set check_job_at = null,
          checks_begun_at = clock_timestamp()
        where org_id = ${transaction.orgId}
          and channel_target_id = ${targetId}
          and opened_at is null
        returning channel_target_id)
      select target.id, target.account_id, target.name, target.config, target.credentials, target.status,
        target.version
      from channel_targets target
      join begun
        on begun.channel_target_id = target.id
      where target.org_id = ${transaction.orgId}
        and target.status = 'active'`,
  )

/**
 * Enqueues a job for the next check of the target's listings, unless a job that is early enough is waiting. Checks more
 * than a minute ahead are enqueued by the scheduler.
 */
export async function scheduleChecks(
  transaction: Transaction,
  targetId: string,
  timing: VerificationTiming,
): Promise<void> {
  const next = await reserveNextCheck(transaction, targetId, timing)
  if (next) await enqueue(transaction, VerifyTarget, [{ payload: { targetId }, at: new Date(next.at) }])
}

/** Reserves the start of the next job; undefined when a job that is early enough is waiting, or no check is due. */
const reserveNextCheck = (transaction: Transaction, targetId: string, timing: VerificationTiming) =>
  first(
    transaction,
    sql<{ at: string }>`
      with due as (
        select sync.check_at as at
        from listing_syncs sync
        where sync.org_id = ${transaction.orgId}
          and sync.channel_target_id = ${targetId}
          and sync.status = 'completed'
          and sync.check_at is not null
          -- Otherwise a check that no job makes would be due in job after job.
          and (
            select listing.status
            from channel_listings listing
            where listing.org_id = sync.org_id
              and listing.id = sync.channel_listing_id) <> 'paused'
        order by sync.check_at
        limit 1),
      next as (
        select greatest(due.at, clock_timestamp(), target.checks_begun_at + ${minPause(timing)}) as at
        from target_syncs target, due
        where target.org_id = ${transaction.orgId}
          and target.channel_target_id = ${targetId})
      update target_syncs target
      set check_job_at = next.at
      from next
      where target.org_id = ${transaction.orgId}
        and target.channel_target_id = ${targetId}
        and next.at < clock_timestamp() + interval '60 seconds'
        and (target.check_job_at is null
          or target.check_job_at > next.at
          or target.check_job_at < now() - interval '30 seconds')
      returning iso(target.check_job_at) as at`,
  )
