import { isDeepStrictEqual } from 'node:util'
import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, semanticError, unknownReference } from '#errors.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import type { StoredRecord } from '#db/records.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import { enqueue } from '#queue/job.ts'
import { MoveRelinkedBookings } from '#features/distribution/pms-bookings/jobs.ts'
import { targetsOfProperty } from '#features/distribution/channel-targets/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { addState, lockTargetsShared, resetState } from '#features/distribution/sync/state-queries.ts'
import { lockUnitForShare } from '#features/inventory/units/queries.ts'
import { alertKinds } from '#features/messaging/alerts/alert.ts'
import { resolveAlerts } from '#features/messaging/alerts/queries.ts'
import {
  externalIdFor,
  assertPlansDistinct,
  nextStatus,
  type ChannelListingInput,
  type ListingStatus,
} from './channel-listing.ts'
import { auditLink, auditPause } from './audit-listing.ts'
import { findListing, lockListing } from './queries.ts'
import { recordListingEvents } from '#features/distribution/sync/listing-events.ts'

/**
 * Links a unit to a target and requests a first full push. When the unit was made from what the PMS shows, this content
 * is given, and the first push reads the PMS back and sends what differs. @throws Conflict, Invalid
 */
export const createListing = (
  scope: Scope,
  input: ChannelListingInput,
  shown: UnitContent | null = null,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const mapping = { ...input, external_id: externalIdFor(input), rate_plans: input.rate_plans ?? [] }
    await lockUnitForShare(transaction, input.unit_id)
    const accountId = await lockAccount(transaction, input)
    await assertPlansOfUnit(transaction, mapping)
    await assertNotMapped(transaction, mapping, null)
    const status = input.status === 'paused' ? 'paused' : 'pending'
    const [listing] = await rows(
      transaction,
      sql<{ id: string; json: string }>`
        insert into channel_listings (org_id, account_id, unit_id, channel_target_id, external_id, rate_plans, status)
        values (${scope.orgId}, ${accountId}, ${input.unit_id}, ${input.channel_target_id}, ${mapping.external_id},
          ${JSON.stringify(mapping.rate_plans)}, ${status})
        returning id, json`,
    )
    const { id } = listing!
    await addState(transaction, { id, unitId: input.unit_id, targetId: input.channel_target_id, shown })
    auditLink(transaction, 'listing.linked', { id, account_id: accountId, ...mapping })
    if (shown) await requestSync(transaction, { listingId: id }, 'reconcile')
    else await requestSync(transaction, { listingId: id }, 'change', 'full')
    await enqueue(transaction, MoveRelinkedBookings, [{ payload: { listingId: id } }])
    await recordListingEvents(transaction, 'listing.created', [listing!])
    return { id, ...(await findListing(transaction, id)) }
  })

/** Replaces a listing; a changed mapping causes a full push. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const updateListing = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  input: ChannelListingInput,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    // Locks are taken in the same order everywhere: unit, target, listing, sync state. The previous target is locked
    // here, the new one by requestSync.
    await lockUnitForShare(transaction, input.unit_id)
    await lockTargetsShared(transaction, { listingId: id })
    const current = await lockListing(transaction, id)
    assertVersion(expected, current.version)
    const mapping = {
      ...input,
      external_id: externalIdFor(input, current),
      rate_plans: input.rate_plans ?? [],
    }
    const accountId = await lockAccount(transaction, input)
    await assertPlansOfUnit(transaction, mapping)
    await assertNotMapped(transaction, mapping, id)
    const status = nextStatus(current.status, input.status ?? 'pending')
    const isRemapped =
      input.unit_id !== current.unit_id ||
      input.channel_target_id !== current.channel_target_id ||
      mapping.external_id !== current.external_id ||
      !isDeepStrictEqual(mapping.rate_plans, current.rate_plans)
    if (!isRemapped && status === current.status) return await findListing(transaction, id)
    auditPause(transaction, current, status)
    const updated = await rows(
      transaction,
      sql<{ json: string }>`
        update channel_listings
        set account_id = ${accountId},
          unit_id = ${input.unit_id},
          channel_target_id = ${input.channel_target_id},
          external_id = ${mapping.external_id},
          rate_plans = ${JSON.stringify(mapping.rate_plans)},
          status = ${status},
          version = version + 1,
          updated_at = now()
        where org_id = ${scope.orgId}
          and id = ${id}
        returning json`,
    )
    if (isRemapped) {
      await resetState(transaction, { id, unitId: input.unit_id, targetId: input.channel_target_id })
      await requestSync(transaction, { listingId: id }, 'change', 'full')
      await enqueue(transaction, MoveRelinkedBookings, [{ payload: { listingId: id } }])
    } else if (status !== 'paused')
      await requestSync(transaction, { listingId: id }, triggerAfter(current.status))
    await recordListingEvents(transaction, 'listing.updated', updated)
    return await findListing(transaction, id)
  })

/** Unlinks a unit. It stays at the PMS as it was pushed last, and the sync history is kept. */
export const deleteListing = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const listing = await lockListing(transaction, id)
    assertVersion(expected, listing.version)
    auditLink(transaction, 'listing.unlinked', listing)
    // They are deleted with the listing.
    await resolveAlerts(transaction, alertKinds, { listingIds: [id] })
    const deleted = await rows(
      transaction,
      sql<{ json: string }>`
        delete from channel_listings
        where org_id = ${scope.orgId}
          and id = ${id}
        returning json`,
    )
    await recordListingEvents(transaction, 'listing.deleted', deleted)
  })

/** A listing that was paused may have been changed at the PMS, so it is read back. */
const triggerAfter = (before: ListingStatus) => (before === 'paused' ? 'reconcile' : 'change')

/**
 * The account of a listing, which its unit and its target must share. The lock on the target serializes links to it, so
 * that the second of two equal ones finds the first. @throws Invalid
 */
async function lockAccount(transaction: Transaction, input: ChannelListingInput): Promise<string> {
  const unit = await first(
    transaction,
    sql<{ account_id: string }>`
      select account_id
      from units
      where org_id = ${transaction.orgId}
        and id = ${input.unit_id}
        and deleted_at is null
      for key share`,
  )
  if (!unit) throw unknownReference('unit_id', 'unit')
  const target = await first(
    transaction,
    sql<{ account_id: string }>`
      select account_id
      from channel_targets
      where org_id = ${transaction.orgId}
        and id = ${input.channel_target_id}
      for no key update`,
  )
  if (!target) throw unknownReference('channel_target_id', 'channel target')
  if (target.account_id !== unit.account_id)
    throw semanticError('channel_target_id', 'The unit and the target must belong to the same account.')
  if (input.account_id && input.account_id !== unit.account_id)
    throw semanticError('account_id', 'account_id must be the account of the unit.')
  return unit.account_id
}

type ListingMapping = Pick<ChannelListingInput, 'unit_id' | 'channel_target_id'> & {
  external_id: string | null
  rate_plans: readonly { rate_plan_id: string; external_id: string }[]
}

/** Checks that only rate plans of the unit are mapped, each once. @throws Invalid */
async function assertPlansOfUnit(
  transaction: Transaction,
  { unit_id, rate_plans }: ListingMapping,
): Promise<void> {
  if (rate_plans.length === 0) return
  assertPlansDistinct(rate_plans)
  const known = await rows(
    transaction,
    sql<{ id: string }>`
      select id
      from rate_plans
      where org_id = ${transaction.orgId}
        and unit_id = ${unit_id}
        and id = any(${rate_plans.map(({ rate_plan_id }) => rate_plan_id)}::uuid[])
      order by id
      for key share`,
  )
  const unknown = rate_plans.findIndex(({ rate_plan_id }) => !known.some(({ id }) => id === rate_plan_id))
  if (unknown >= 0) throw unknownReference(`rate_plans/${unknown}/rate_plan_id`, 'rate plan of this unit')
}

/**
 * Checks that no other listing of the target maps the unit, and no other unit an external id at this property, which
 * several targets may have. @throws Conflict
 */
async function assertNotMapped(transaction: Transaction, mapping: ListingMapping, ownId: string | null) {
  const planIds = mapping.rate_plans.map(({ external_id }) => external_id)
  const hasOneOfPlans = sql`exists (
    select 1
    from jsonb_to_recordset(listing.rate_plans) as plan (external_id text)
    where plan.external_id = any(${planIds}::text[]))`
  const other = await first(
    transaction,
    sql<{ id: string; unit_id: string; external_id: string | null }>`
      select listing.id, listing.unit_id, listing.external_id
      from channel_listings listing
      where listing.org_id = ${transaction.orgId}
        and listing.channel_target_id = any(array(${targetsOfProperty(transaction.orgId, mapping.channel_target_id)}))
        and listing.id is distinct from ${ownId}::uuid
        and (listing.channel_target_id = ${mapping.channel_target_id} or listing.unit_id <> ${mapping.unit_id})
        and (
          listing.unit_id = ${mapping.unit_id}
          or listing.external_id = ${mapping.external_id}
          ${planIds.length > 0 ? sql`or ${hasOneOfPlans}` : sql``})
      order by listing.unit_id <> ${mapping.unit_id}
      limit 1`,
  )
  if (!other) return
  const problem =
    other.unit_id === mapping.unit_id
      ? 'This unit is already linked to this target'
      : other.external_id === mapping.external_id
        ? 'This external_id is already used at this property'
        : 'An external_id of rate_plans is already used at this property'
  throw new Conflict('duplicate-mapping', `${problem}, by the listing ${other.id}.`, {
    members: { channel_listing_id: other.id },
  })
}
