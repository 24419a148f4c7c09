import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Stored } from '#http/replies.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { holdTargets } from '../sync-requests/queries.ts'
import { holdUnit } from '../units/rooms-queries.ts'
import {
  externalIdOf,
  refuseDoubles,
  statusAfter,
  type ChannelListingInput,
  type ListingStatus,
} from './channel-listing.ts'
import { auditLink, auditPause } from './audit-link.ts'
import { findListing } from './find-queries.ts'

/** Links a unit to a target and asks for the first, whole push. @throws Conflict, Invalid */
export const addListing = (scope: Scope, input: ChannelListingInput): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const wish = { ...input, external_id: externalIdOf(input), rate_plans: input.rate_plans ?? [] }
    await holdUnit(transaction, input.unit_id)
    const accountId = await accountOf(transaction, input)
    await refuseForeignPlans(transaction, wish)
    await refuseDuplicate(transaction, wish, null)
    const status = input.status === 'paused' ? 'paused' : 'pending'
    const [listing] = await rows(
      transaction,
      sql<{
        id: string
      }>`insert into channel_listings (org_id, account_id, unit_id, channel_target_id, external_id, rate_plans, status)
        values (${scope.orgId}, ${accountId}, ${input.unit_id}, ${input.channel_target_id}, ${wish.external_id},
          ${JSON.stringify(wish.rate_plans)}, ${status}) returning id`,
    )
    const { id } = listing!
    await rows(
      transaction,
      sql`insert into listing_syncs (channel_listing_id, org_id, unit_id, channel_target_id, requested_by, wanted_version)
        values (${id}, ${scope.orgId}, ${input.unit_id}, ${input.channel_target_id}, ${JSON.stringify(scope.actor)}, 0)`,
    )
    auditLink(transaction, 'listing.linked', { id, account_id: accountId, ...wish })
    await requestSync(transaction, { listingId: id }, 'change', 'full')
    return { id, ...(await findListing(transaction, id)) }
  })

/** Replaces a listing; what it maps to is pushed whole again. @throws NotFound, Stale, Conflict, Invalid */
export const changeListing = (
  scope: Scope,
  id: string,
  expected: Expected,
  input: ChannelListingInput,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    // The unit, then the target, then the listing and its sync state, as everybody does: the old target here, and by
    // requestSync the new one.
    await holdUnit(transaction, input.unit_id)
    await holdTargets(transaction, { listingId: id })
    const current = await lockListing(transaction, id)
    refuseStale(expected, current.version)
    const wish = {
      ...input,
      external_id: externalIdOf(input, current),
      rate_plans: input.rate_plans ?? [],
    }
    const accountId = await accountOf(transaction, input)
    await refuseForeignPlans(transaction, wish)
    await refuseDuplicate(transaction, wish, id)
    const status = statusAfter(current.status, input.status ?? 'pending')
    const moved =
      input.unit_id !== current.unit_id ||
      input.channel_target_id !== current.channel_target_id ||
      wish.external_id !== current.external_id ||
      !isDeepStrictEqual(wish.rate_plans, current.rate_plans)
    if (!moved && status === current.status) return await findListing(transaction, id)
    auditPause(transaction, current, status)
    await rows(
      transaction,
      sql`update channel_listings set account_id = ${accountId}, unit_id = ${input.unit_id},
          channel_target_id = ${input.channel_target_id}, external_id = ${wish.external_id},
          rate_plans = ${JSON.stringify(wish.rate_plans)}, status = ${status}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    // An attempt that runs speaks of the old place, and so does a job that waits: neither counts for the new one.
    if (moved)
      await rows(
        transaction,
        sql`update listing_syncs set unit_id = ${input.unit_id}, channel_target_id = ${input.channel_target_id},
          accepted = null, in_doubt = '[]', calendar_doubt = null, refused_groups = null, claim = null, claimed_by = null,
          claimed_until = null, status = case when status = 'in_progress' then 'pending' else status end,
          attempts = 0, next_attempt_at = null, job_due_at = null
        where org_id = ${scope.orgId} and channel_listing_id = ${id}`,
      )
    if (moved) await requestSync(transaction, { listingId: id }, 'change', 'full')
    else if (status !== 'paused') await requestSync(transaction, { listingId: id }, resumedOr(current.status))
    return await findListing(transaction, id)
  })

/** Unlinks: the unit stays at the PMS as it was pushed last. The history is kept. */
export const removeListing = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const listing = await lockListing(transaction, id)
    refuseStale(expected, listing.version)
    auditLink(transaction, 'listing.unlinked', listing)
    await rows(transaction, sql`delete from channel_listings where org_id = ${scope.orgId} and id = ${id}`)
  })

/** What may have happened to it at the PMS while it was paused is looked for. */
const resumedOr = (before: ListingStatus) => (before === 'paused' ? 'reconcile' : 'change')

interface LockedListing {
  id: string
  version: number
  status: ListingStatus
  account_id: string
  unit_id: string
  channel_target_id: string
  external_id: string | null
  rate_plans: { rate_plan_id: string; external_id: string }[]
}

export async function lockListing(transaction: Transaction, id: string): Promise<LockedListing> {
  const row = await first(
    transaction,
    sql<LockedListing>`select id, version, status, account_id, unit_id, channel_target_id, external_id, rate_plans
      from channel_listings where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  if (!row) throw new NotFound('channel listing', id)
  return row
}

/**
 * A listing belongs to the account of its unit, and so must its target. The lock on the target lets one link at a
 * time, so that the second of two equal ones sees the first.
 */
async function accountOf(transaction: Transaction, input: ChannelListingInput): Promise<string> {
  const unit = await first(
    transaction,
    sql<{ account_id: string }>`select account_id from units
      where org_id = ${transaction.orgId} and id = ${input.unit_id} and deleted_at is null for key share`,
  )
  if (!unit) throw unknownReference('unit_id', 'unit')
  const target = await first(
    transaction,
    sql<{ account_id: string }>`select account_id from channel_targets
      where org_id = ${transaction.orgId} and id = ${input.channel_target_id} for no key update`,
  )
  if (!target) throw unknownReference('channel_target_id', 'channel target')
  if (target.account_id !== unit.account_id)
    throw semanticError('channel_target_id', 'The unit and the target belong to different accounts.')
  if (input.account_id && input.account_id !== unit.account_id)
    throw semanticError('account_id', 'account_id must be the account of the unit.')
  return unit.account_id
}

type Wish = Pick<ChannelListingInput, 'unit_id' | 'channel_target_id'> & {
  external_id: string | null
  rate_plans: readonly { rate_plan_id: string; external_id: string }[]
}

/** Only plans of the unit are mapped, each once. */
async function refuseForeignPlans(transaction: Transaction, { unit_id, rate_plans }: Wish): Promise<void> {
  if (rate_plans.length === 0) return
  refuseDoubles(rate_plans)
  const known = await rows(
    transaction,
    sql<{ id: string }>`select id from rate_plans where org_id = ${transaction.orgId} and unit_id = ${unit_id}
      and id = any(${rate_plans.map(({ rate_plan_id }) => rate_plan_id)}::uuid[]) order by id for key share`,
  )
  const unknown = rate_plans.findIndex(({ rate_plan_id }) => !known.some(({ id }) => id === rate_plan_id))
  if (unknown >= 0) throw unknownReference(`rate_plans/${unknown}/rate_plan_id`, 'rate plan of this unit')
}

async function refuseDuplicate(transaction: Transaction, wish: Wish, self: string | null) {
  const planIds = wish.rate_plans.map(({ external_id }) => external_id)
  const other = await first(
    transaction,
    sql<{
      id: string
      unit_id: string
      external_id: string
    }>`select l.id, l.unit_id, l.external_id from channel_listings l
      where l.org_id = ${transaction.orgId} and l.channel_target_id = ${wish.channel_target_id}
        and l.id is distinct from ${self}::uuid
        and (l.unit_id = ${wish.unit_id} or l.external_id = ${wish.external_id}
          or exists (select 1 from jsonb_to_recordset(l.rate_plans) as p (external_id text)
            where p.external_id = any(${planIds}::text[])))
      order by l.unit_id <> ${wish.unit_id} limit 1`,
  )
  if (!other) return
  const what =
    other.unit_id === wish.unit_id
      ? 'This unit is already linked to this target'
      : other.external_id === wish.external_id
        ? 'This external_id is already used at this target'
        : 'An external_id of rate_plans is already used at this target'
  throw new Conflict('duplicate-mapping', `${what}, by the listing ${other.id}.`, {
    members: { channel_listing_id: other.id },
  })
}
