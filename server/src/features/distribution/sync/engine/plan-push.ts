import type { Push, Claim, UnconfirmedRanges } from '#features/distribution/sync/push.ts'
import { hash } from 'node:crypto'
import type { Scope } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { PlanLink, UnitUpdate } from '#integrations/pms/pms.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { diffContent, toUnitContent, changedMembers } from '#features/distribution/sync/diff/content.ts'
import {
  firstOfMonth,
  gridFromMonths,
  type StoredMonth,
  forgetRuns,
  diffGrids,
  emptyGrid,
  type CalendarGrid,
  type CalendarRuns,
} from '#features/distribution/sync/diff/calendar-grid.ts'
import {
  listDecidedNights,
  listDesiredUnits,
  listTakenNights,
  type DesiredUnit,
  type NightWindow,
  buildDesiredGrid,
} from '#features/distribution/sync/diff/desired-calendar.ts'
import { listAcceptedMonths } from './queries.ts'

/**
 * Compares the desired values of these listings with those that the PMS accepted, in four queries for any number of
 * listings.
 */
export async function planPushes(
  scope: Scope,
  targetId: string,
  provider: Provider,
  claims: readonly Claim[],
): Promise<Push[]> {
  const withNights = claims.filter(({ first_night }) => first_night !== null) as (Claim & NightWindow)[]
  const windows = withNights.map(({ unit_id, first_night, last_night }) => ({
    unit_id,
    first_night,
    last_night,
  }))
  const [units, taken, decided, accepted] = await Promise.all([
    listDesiredUnits(
      scope,
      targetId,
      claims.map(({ unit_id }) => unit_id),
    ),
    windows.length ? listTakenNights(scope, windows) : [],
    windows.length ? listDecidedNights(scope, windows) : [],
    windows.length
      ? listAcceptedMonths(
          scope,
          withNights.map(({ listing_id, first_night, last_night }) => ({
            listing_id,
            first_night,
            last_night,
          })),
        )
      : [],
  ])
  const unitsById = new Map(units.map((unit) => [unit.unit_id, unit]))
  const takenByUnit = new Map(taken.map(({ unit_id, nights }) => [unit_id, nights]))
  const decidedByPlan = new Map(decided.map(({ rate_plan_id, nights }) => [rate_plan_id, nights]))
  const monthsByListing = Map.groupBy(accepted, ({ listing_id }) => listing_id)
  return claims.map((claim) => {
    const unit = unitsById.get(claim.unit_id)!
    const months = new Map(
      monthsByListing.get(claim.listing_id)?.map(({ month, nights }) => [firstOfMonth(month), nights]),
    )
    try {
      return planPush(claim, unit, provider, takenByUnit.get(claim.unit_id) ?? [], decidedByPlan, months)
    } catch (error) {
      return unplannedPush(claim, unit, error)
    }
  })
}

/** A defect of ours, which must not stop the other listings of the target. */
function unplannedPush(claim: Claim, unit: DesiredUnit, cause: unknown): Push {
  const hint = 'The log of the workers has the cause. The push is retried automatically.'
  return {
    ...{ claim, unit, content: acceptedContent(claim)!, links: [], changes: [] },
    ...{
      desired: emptyGrid(0, 0),
      known: emptyGrid(0, 0),
      months: new Map(),
      runs: { rooms: [], rates: [] },
    },
    failure: new PmsFailure('internal', 'The values of the unit cannot be prepared.', { hint, cause }),
  }
}

function planPush(
  claim: Claim,
  unit: DesiredUnit,
  provider: Provider,
  taken: [number, number][],
  decided: Parameters<typeof buildDesiredGrid>[3]['decided'],
  months: Map<string, StoredMonth>,
): Push {
  const { first_night, last_night } = claim
  const content = toUnitContent(unit, provider.photoBaseUrl)
  const links = linkedPlans(unit, claim.rate_plans, provider)
  const isKnown = claim.accepted !== null
  const desired =
    first_night && last_night
      ? buildDesiredGrid(unit, links, provider, { first_night, last_night, taken, decided })
      : emptyGrid(0, 0)
  const known = isKnown
    ? gridFromMonths(months, desired.first, desired.rooms.length)
    : emptyGrid(desired.first, desired.rooms.length)
  forgetUnconfirmed(known, claim.unconfirmed_ranges)
  return {
    claim,
    unit,
    content,
    links,
    changes: diffContent(acceptedContent(claim), content, claim.unconfirmed_fields),
    desired,
    known,
    months: isKnown ? months : new Map(),
    runs: diffGrids(known, desired, provider.terms, claim.mode === 'full' || !isKnown),
  }
}

/** The content that the PMS accepted last; null when nothing is known. */
export const acceptedContent = ({ accepted }: Claim) =>
  accepted === null ? null : (JSON.parse(accepted) as UnitContent)

/** Values that the PMS may have otherwise are unknown. */
function forgetUnconfirmed(known: CalendarGrid, unconfirmed: UnconfirmedRanges | null): void {
  if (!unconfirmed) return
  forgetRuns(known, { rooms: unconfirmed.rooms ?? [], rates: unconfirmed.rates ?? [] })
  const from = Math.max(nightOf(unconfirmed.date_from) - known.first, 0)
  const to = Math.min(nightOf(unconfirmed.date_to) - known.first + 1, known.rooms.length)
  if (from >= to) return
  if (!unconfirmed.rooms) known.rooms.fill(null, from, to)
  if (!unconfirmed.rates)
    for (const terms of known.plans.values())
      for (const column of Object.values(terms)) column.fill(null, from, to)
}

/** With more ranges than this all nights between them count as unconfirmed. */
const maxUnconfirmedRanges = 300

/** What stays unconfirmed after a push that failed although the PMS accepted a part of it. */
export function unconfirmedAfter(
  { claim, desired, runs }: Push,
  accepted: CalendarRuns,
): UnconfirmedRanges | null {
  if (desired.rooms.length === 0) return claim.unconfirmed_ranges
  const rooms = withoutAccepted(runs.rooms, accepted.rooms)
  const rates = withoutAccepted(runs.rates, accepted.rates)
  if (rooms?.length === 0 && rates?.length === 0) return null
  return {
    date_from: dateOf(desired.first),
    date_to: dateOf(desired.first + desired.rooms.length - 1),
    rooms,
    rates,
  }
}

function withoutAccepted<Run>(sent: Run[], accepted: readonly Run[]): Run[] | null {
  const done = new Set(accepted)
  const rest = done.size === 0 ? sent : sent.filter((run) => !done.has(run))
  return rest.length > maxUnconfirmedRanges ? null : rest
}

export const hasChanges = ({ claim, changes, runs }: Push) =>
  claim.mode === 'full' ||
  !claim.accepted ||
  changes.length > 0 ||
  runs.rooms.length > 0 ||
  runs.rates.length > 0

/** The push in the format of the PMS port; `isRepair` when it corrects what the PMS showed. */
export function toUnitUpdate(push: Push, externalId: string, isRepair: boolean): UnitUpdate {
  const { claim, content, links, changes, runs } = push
  const isFull = claim.mode === 'full' || !claim.accepted
  return {
    id: claim.listing_id,
    externalId,
    plans: links,
    content,
    changedFields: isFull ? 'all' : changedMembers(changes),
    rooms: runs.rooms,
    rates: runs.rates,
    idempotencyKey: idempotencyKeyOf(push, isRepair),
    traceparent: claim.traceparent,
    refusedGroups: claim.refused_groups,
  }
}

/**
 * Equal updates have equal keys, so that a lost response causes no second effect. Each repair has a new key: the same
 * drift may occur again, and the PMS must not answer with the stored response.
 */
function idempotencyKeyOf({ claim, content, changes }: Push, isRepair: boolean): string {
  const { listing_id, wanted_version, mode } = claim
  const text = JSON.stringify([mode, content, changes.map(({ field }) => field), isRepair && claim.claim])
  return `${listing_id}.${wanted_version}.${hash('sha256', text, 'base64url').slice(0, 16)}`
}

/**
 * The rate plans that are sent to the PMS, with their ids there: those that the listing maps. The default plan stands
 * for the room itself where the PMS allows terms on a room.
 */
function linkedPlans(
  unit: Pick<DesiredUnit, 'plans'>,
  mapped: readonly { rate_plan_id: string; external_id: string }[],
  { hasPlans, roomHasTerms }: Provider,
): PlanLink[] {
  const links: PlanLink[] = hasPlans
    ? mapped
        .filter(({ rate_plan_id }) => unit.plans.some(({ id }) => id === rate_plan_id))
        .map(({ rate_plan_id, external_id }) => ({ plan: rate_plan_id, externalId: external_id }))
    : []
  const standard = unit.plans.find(({ is_default }) => is_default)
  if (roomHasTerms && standard && !links.some(({ plan }) => plan === standard.id))
    links.unshift({ plan: standard.id, externalId: null })
  return links
}
