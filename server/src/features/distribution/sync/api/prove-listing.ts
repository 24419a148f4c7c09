import { sql } from '#db/sql.ts'
import { first, type Scope } from '#db/scope.ts'
import { NotFound, semanticError } from '#errors.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { termNames } from '#integrations/pms/pms.ts'
import { providerOf, withPms, type Connections } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { findDifferences, shownGrid, type Difference } from '#features/distribution/sync/diff/content.ts'
import {
  diffGrids,
  emptyGrid,
  nightsAhead,
  type CalendarGrid,
  type CalendarRuns,
} from '#features/distribution/sync/diff/calendar-grid.ts'
import { hasChanges, planPushes } from '#features/distribution/sync/engine/plan-push.ts'
import type { Claim, Push } from '#features/distribution/sync/push.ts'
import type { Preview, Proof } from './proof.ts'

/** A range of nights: the rooms of the unit, or the terms of one plan. */
type ProofRun = {
  rate_plan_id: string | null
  date_from: string
  date_to: string
  [value: string]: unknown
}

/**
 * The desired values of a listing, those that the PMS accepted, and those that it shows now. When the PMS cannot be
 * read, the result of the last check is returned, with its age and the reason.
 * @throws NotFound, Invalid
 */
export async function proveListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
  nights: { from?: string; to?: string },
): Promise<Proof> {
  const { snapshot, push } = await planOf(scope, connections, listingId, nights)
  const base = {
    channel_listing_id: listingId,
    desired: proofRuns(diffGrids(nothing(push), push.desired, termNames, true)),
    accepted: proofRuns(diffGrids(nothing(push), push.known, termNames, false)),
  }
  try {
    const { shown, provider } = await readListing(scope, connections, snapshot, push)
    const differences = findDifferences(push, shown, provider)
    const seen = shown ? shownGrid(push.desired, shown) : nothing(push)
    return {
      ...base,
      in_sync: differences.length === 0,
      checked_at: new Date().toISOString(),
      age_seconds: 0,
      read_back: proofRuns(diffGrids(nothing(push), seen, termNames, false)),
      differences,
      error_message: null,
    }
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    return {
      ...base,
      in_sync: false,
      checked_at: snapshot.checked_at,
      age_seconds: snapshot.checked_at && Math.round((Date.now() - Date.parse(snapshot.checked_at)) / 1_000),
      read_back: [],
      differences: snapshot.found ?? [],
      error_message: error.message,
    } as Proof
  }
}

/** What the next push of a listing would send, without sending it. @throws NotFound */
export async function previewListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
  mode: 'delta' | 'full' | undefined,
): Promise<Preview> {
  const { push } = await planOf(scope, connections, listingId, {}, mode)
  return {
    channel_listing_id: listingId,
    mode: push.claim.mode === 'full' || !push.claim.accepted ? 'full' : 'delta',
    would_push: hasChanges(push),
    content: [...push.changes],
    calendar: proofRuns(push.runs),
  }
}

async function planOf(
  scope: Scope,
  connections: Connections,
  listingId: string,
  { from, to }: { from?: string; to?: string },
  mode?: 'delta' | 'full',
): Promise<{ snapshot: ListingSnapshot; push: Push }> {
  const snapshot = await getListingSnapshot(scope, listingId, from ?? null, to ?? null)
  if (!snapshot) throw new NotFound('channel listing', listingId)
  if (snapshot.first_night === null)
    throw semanticError(
      'to',
      'These nights are past, or more than 500 nights ahead: they are not sent to the PMS.',
    )
  const target = (await getTargetConnection(scope, snapshot.channel_target_id))!
  const claim = mode ? { ...snapshot, mode } : snapshot
  const [push] = await planPushes(scope, target.id, providerOf(connections, target), [claim])
  if (push!.failure) throw push!.failure.cause
  return { snapshot, push: push! }
}

async function readListing(scope: Scope, connections: Connections, snapshot: ListingSnapshot, push: Push) {
  const target = (await getTargetConnection(scope, snapshot.channel_target_id))!
  const { external_id: externalId } = snapshot
  if (externalId === null)
    throw new PmsFailure('mapping_not_found', 'The unit has not been created at the PMS yet.', {
      hint: 'Wait for the first push.',
    })
  const nights = { date_from: snapshot.first_night!, date_to: snapshot.last_night! }
  return await withPms(scope, connections, target, async ({ pms, provider, call }) => {
    const shown = await pms.readUnits([{ externalId, plans: push.links }], nights, call)
    return { provider, shown: shown.get(externalId) ?? null }
  })
}

const nothing = ({ desired }: Push): CalendarGrid => emptyGrid(desired.first, desired.rooms.length)

const proofRuns = ({ rooms, rates }: CalendarRuns): ProofRun[] => [
  ...rooms.map((run) => ({ rate_plan_id: null, ...run })),
  ...rates.map(({ plan, ...run }) => ({ rate_plan_id: plan, ...run })),
]

/** A listing as a push would read it, without claiming it, and the result of the last check. */
interface ListingSnapshot extends Claim {
  channel_target_id: string
  checked_at: string | null
  found: Difference[] | null
}

/** The range of nights to compare: by default from today to the end of the synced period. */
const getListingSnapshot = (scope: Scope, listingId: string, from: string | null, to: string | null) =>
  first(
    scope,
    sql<ListingSnapshot>`select listing.id as listing_id, listing.status as listing_status, gen_random_uuid() as claim,
        listing.account_id, listing.unit_id, listing.external_id, listing.rate_plans, sync.attempts,
        sync.wanted_version, sync.mode, sync.trigger, sync.reading_back or sync.read_back_wanted as reading_back,
        sync.requested_by, sync.traceparent, sync.accepted::text, sync.unconfirmed_fields, sync.unconfirmed_ranges,
        sync.refused_groups,
        case when nights.first_night <= nights.last_night then nights.first_night end as first_night,
        case when nights.first_night <= nights.last_night then nights.last_night end as last_night,
        now() as started_at, sync.channel_target_id, last_check.checked_at, last_check.differences as found
      from channel_listings listing
      join listing_syncs sync
        on sync.org_id = listing.org_id
        and sync.channel_listing_id = listing.id
      join units unit
        on unit.org_id = listing.org_id
        and unit.id = listing.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      left join listing_checks last_check
        on last_check.org_id = listing.org_id
        and last_check.channel_listing_id = listing.id,
      lateral (select (now() at time zone space.timezone)::date as today) local,
      lateral (
        select greatest(local.today, ${from}::date) as first_night,
          least(local.today + ${nightsAhead - 1}::int, ${to}::date) as last_night) nights
      where listing.org_id = ${scope.orgId}
        and listing.id = ${listingId}`,
  )
