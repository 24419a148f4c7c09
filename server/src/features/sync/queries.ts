import { sql } from 'kysely'
import { first, rows, type Actor, type Transaction } from '#db/scope.ts'
import type { UnitContent } from '#outside/pms/pms.ts'
import type { Wanted } from './content.ts'

export interface Claim {
  claim: string
  account_id: string
  channel_target_id: string
  unit_id: string
  external_id: string
  attempts: number
  wanted_version: number
  mode: 'delta' | 'full'
  trigger: string
  requested_by: Actor
  accepted: UnitContent | null
  /** Fields that an earlier attempt sent and that nobody knows the fate of. */
  in_doubt: string[]
  started_at: string
}

/**
 * Takes a listing for one attempt. It must be due and unclaimed, or its claim must have lapsed, or belong to
 * this very job (the queue has declared its earlier run dead). Changes that are still being written hold the
 * rows, so these are locked first: only a statement that begins afterwards sees what the changes wrote.
 */
export async function claimListing(
  transaction: Transaction,
  listingId: string,
  jobId: string,
  leaseMs: number,
): Promise<Claim | undefined> {
  const [, claim] = await Promise.all([
    lockForClaim(transaction, listingId),
    takeClaim(transaction, listingId, jobId, leaseMs),
  ])
  return claim
}

const lockForClaim = ({ connection, orgId }: Transaction, listingId: string) =>
  Promise.all([
    connection.run(
      sql`select 1 from channel_listings where org_id = ${orgId} and id = ${listingId} for key share`,
    ),
    connection.run(
      sql`select 1 from listing_syncs where org_id = ${orgId} and channel_listing_id = ${listingId} for update`,
    ),
  ])

const takeClaim = (transaction: Transaction, listingId: string, jobId: string, leaseMs: number) =>
  first(
    transaction,
    sql<Claim>`with old as (
        select s.channel_listing_id, s.mode, l.account_id, l.external_id from listing_syncs s
        join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
        join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
        where s.org_id = ${transaction.orgId} and s.channel_listing_id = ${listingId}
          and l.status <> 'paused' and t.status <> 'inactive'
          and (s.status = 'pending' and s.due_at <= now()
            or s.status = 'in_progress' and (s.claimed_by = ${jobId} or s.claimed_until < now())))
      update listing_syncs s set status = 'in_progress', attempts = s.attempts + 1, claim = gen_random_uuid(),
        claimed_by = ${jobId}, claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0),
        pushed_at = clock_timestamp(), pending_since = null, next_attempt_at = null,
        job_due_at = null, changed_at = clock_timestamp()
      from old where s.org_id = ${transaction.orgId} and s.channel_listing_id = old.channel_listing_id
      returning s.claim, old.account_id, s.channel_target_id, s.unit_id, old.external_id, s.attempts, s.wanted_version,
        old.mode, s.trigger, s.requested_by, s.accepted, s.in_doubt, s.pushed_at as started_at`,
  )

/** Notes what is about to be sent, so that it is sent again should this attempt end without an answer. */
export const noteSent = (transaction: Transaction, listingId: string, fields: string[]) =>
  rows(
    transaction,
    sql`update listing_syncs set in_doubt = ${JSON.stringify(fields)}::jsonb
      where org_id = ${transaction.orgId} and channel_listing_id = ${listingId}`,
  )

/**
 * What becomes of a listing that could not be claimed: an attempt that died while the listing is held is over,
 * and no job waits for it any more. Returns when one must; undefined when nobody waits.
 */
export const leaveUnclaimed = (
  transaction: Transaction,
  listingId: string,
  jobId: string,
): Promise<{ due_at: string } | undefined> =>
  first(
    transaction,
    sql<{ due_at: string }>`with left_over as (
        update listing_syncs s set status = 'pending', claim = null, claimed_by = null, claimed_until = null,
          job_due_at = case when h.held or s.due_at <= now() then null else s.due_at end
        from channel_listings l, channel_targets t, lateral (select l.status = 'paused' or t.status = 'inactive' as held) h
        where s.org_id = ${transaction.orgId} and s.channel_listing_id = ${listingId}
          and l.org_id = s.org_id and l.id = s.channel_listing_id
          and t.org_id = s.org_id and t.id = s.channel_target_id
          and (s.status = 'pending' or s.status = 'in_progress' and h.held
            and (s.claimed_by = ${jobId} or s.claimed_until < now()))
        returning s.job_due_at as due_at)
      select due_at from left_over where due_at is not null`,
  )

export async function wantedOf(transaction: Transaction, unitId: string): Promise<Wanted> {
  const row = await first(
    transaction,
    sql<Wanted>`select
        json_build_object('name', u.name, 'type', u.type, 'bedrooms', u.bedrooms, 'bathrooms', u.bathrooms,
          'max_guests', u.max_guests, 'quantity', u.quantity, 'base_price_cents', u.base_price_cents,
          'currency', u.currency, 'status', u.status) as unit,
        json_build_object('name', s.name, 'address', s.address, 'city', s.city, 'state', s.state, 'zip', s.zip,
          'country', s.country, 'timezone', s.timezone, 'description', s.description, 'amenities', s.amenities,
          'status', s.status) as space
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where u.org_id = ${transaction.orgId} and u.id = ${unitId}`,
  )
  return row!
}

export interface Settled {
  status: 'pending' | 'completed' | 'failed'
  due_at: string
  due: boolean
  next_attempt_at: string | null
}

/** The PMS took it. Changes made meanwhile keep the listing pending. Undefined when the claim was lost. */
export async function settleAccepted(
  transaction: Transaction,
  listingId: string,
  { claim, wanted_version }: Pick<Claim, 'claim' | 'wanted_version'>,
  accepted: UnitContent,
): Promise<Settled | undefined> {
  await lockListing(transaction, listingId)
  const isChanged = changedSince(wanted_version)
  const settled = await first(
    transaction,
    sql<Settled>`update listing_syncs set
        status = case when ${isChanged} then 'pending' else 'completed' end,
        attempts = case when ${isChanged} then 0 else attempts end,
        synced_version = ${wanted_version}, last_synced_at = now(), error_message = null, error_code = null,
        accepted = ${JSON.stringify(accepted)}::jsonb, in_doubt = '[]',
        mode = case when ${isChanged} then mode else 'delta' end,
        job_due_at = case when ${isChanged} then due_at end,
        claim = null, claimed_by = null, claimed_until = null,
        changed_at = clock_timestamp()
      where org_id = ${transaction.orgId} and channel_listing_id = ${listingId} and claim = ${claim}
      returning status, due_at, due_at <= clock_timestamp() as due, next_attempt_at`,
  )
  if (settled)
    await rows(
      transaction,
      sql`update channel_listings set status = case when status = 'paused' then status else 'active' end,
          last_synced_at = now(), error_message = null
        where org_id = ${transaction.orgId} and id = ${listingId}`,
    )
  return settled
}

/** Whether something changed after the version that an attempt set out with. */
const changedSince = (version: number) => sql`(wanted_version > ${version})`

/** Writers take the listing before its sync state, always in this order, so that none waits in a circle. */
const lockListing = (transaction: Transaction, listingId: string) =>
  rows(
    transaction,
    sql`select 1 from channel_listings where org_id = ${transaction.orgId} and id = ${listingId} for no key update`,
  )

export interface Setback {
  code: string
  message: string
  /** When to try again; null when it is over. */
  nextAttemptAt: Date | null
  /** Whether it was an attempt of its own; one that we broke off was none. */
  isCounted: boolean
}

/** The PMS did not take it: wait for the next attempt, or give up unless something changed meanwhile. */
export async function settleFailed(
  transaction: Transaction,
  listingId: string,
  { claim, wanted_version }: Pick<Claim, 'claim' | 'wanted_version'>,
  { code, message, nextAttemptAt, isCounted }: Setback,
): Promise<Settled | undefined> {
  await lockListing(transaction, listingId)
  const isChanged = changedSince(wanted_version)
  // Who asked by hand while the attempt ran does not wait with it.
  const next = sql`case when trigger = 'manual' and ${isChanged} then null else ${nextAttemptAt}::timestamptz end`
  const settled = await first(
    transaction,
    sql<Settled>`update listing_syncs set
        status = case when ${next} is not null or ${isChanged} then 'pending' else 'failed' end,
        attempts = case when ${next} is null and ${isChanged} then 0 else attempts - ${isCounted ? 0 : 1} end,
        due_at = coalesce(${next}, due_at), next_attempt_at = ${next},
        job_due_at = case when ${next} is not null then ${next} when ${isChanged} then due_at end,
        pending_since = coalesce(pending_since, clock_timestamp()),
        error_code = ${code}, error_message = ${message}, claim = null, claimed_by = null, claimed_until = null,
        changed_at = clock_timestamp()
      where org_id = ${transaction.orgId} and channel_listing_id = ${listingId} and claim = ${claim}
      returning status, due_at, due_at <= clock_timestamp() as due, next_attempt_at`,
  )
  if (settled)
    await rows(
      transaction,
      sql`update channel_listings set error_message = ${message},
          status = case when status <> 'paused' and ${settled.status} = 'failed' then 'error' else status end
        where org_id = ${transaction.orgId} and id = ${listingId}`,
    )
  return settled
}
