import { createHash } from 'node:crypto'
import type { Scope } from '#db/scope.ts'
import { dateOf, nightOf } from '#nights.ts'
import type { Parcel, PlanLink, Provider, UnitContent } from '#outside/pms/pms.ts'
import type { Claim, Doubt } from './claim-queries.ts'
import { changesBetween, contentOf, membersOf, type Change } from './content.ts'
import { monthOf, nightsOf, type MonthValues } from './month-values.ts'
import { forget, runsBetween, unknownNights, type NightValues, type Runs } from './night-values.ts'
import {
  acceptedMonths,
  decidedNights,
  takenNights,
  wantedUnits,
  type WantedUnit,
  type Window,
} from './wanted-queries.ts'
import { linksOf, wantedNights } from './wanted-nights.ts'

/** One listing on its way: what is wanted, what the PMS has as far as we know, and what must be said. */
export interface Push {
  readonly claim: Claim
  readonly unit: WantedUnit
  readonly content: UnitContent
  readonly links: readonly PlanLink[]
  readonly changes: readonly Change[]
  readonly wanted: NightValues
  readonly had: NightValues
  readonly months: ReadonlyMap<string, MonthValues>
  readonly runs: Runs
}

/** Everything that a push needs of these listings, in four questions however many they are. */
export async function preparePushes(
  scope: Scope,
  targetId: string,
  provider: Provider,
  claims: readonly Claim[],
): Promise<Push[]> {
  const looked = claims.filter(({ first_night }) => first_night !== null) as (Claim & Window)[]
  const windows = looked.map(({ unit_id, first_night, last_night }) => ({ unit_id, first_night, last_night }))
  const [units, taken, decided, accepted] = await Promise.all([
    wantedUnits(
      scope,
      targetId,
      claims.map(({ unit_id }) => unit_id),
    ),
    windows.length ? takenNights(scope, windows) : [],
    windows.length ? decidedNights(scope, windows) : [],
    windows.length
      ? acceptedMonths(
          scope,
          looked.map(({ listing_id, first_night, last_night }) => ({ listing_id, first_night, last_night })),
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
      monthsByListing.get(claim.listing_id)?.map(({ month, nights }) => [monthOf(month), nights]),
    )
    return pushOf(claim, unit, provider, takenByUnit.get(claim.unit_id) ?? [], decidedByPlan, months)
  })
}

function pushOf(
  claim: Claim,
  unit: WantedUnit,
  provider: Provider,
  taken: [number, number][],
  decided: Parameters<typeof wantedNights>[3]['decided'],
  months: Map<string, MonthValues>,
): Push {
  const { first_night, last_night } = claim
  const content = contentOf(unit, provider.photosAt)
  const links = linksOf(unit, claim.rate_plans, provider)
  const isKnown = claim.accepted !== null
  const wanted =
    first_night && last_night
      ? wantedNights(unit, links, provider, { first_night, last_night, taken, decided })
      : unknownNights(0, 0)
  const had = isKnown
    ? nightsOf(months, wanted.first, wanted.rooms.length)
    : unknownNights(wanted.first, wanted.rooms.length)
  doubt(had, claim.calendar_doubt)
  return {
    claim,
    unit,
    content,
    links,
    changes: changesBetween(acceptedOf(claim), content, claim.in_doubt),
    wanted,
    had,
    months: isKnown ? months : new Map(),
    runs: runsBetween(had, wanted, provider.terms, claim.mode === 'full' || !isKnown),
  }
}

/** What the PMS took last of the content; null when nothing is known. */
export const acceptedOf = ({ accepted }: Claim) =>
  accepted === null ? null : (JSON.parse(accepted) as UnitContent)

/** Of what an earlier attempt sent without learning its fate, nothing is known. */
function doubt(had: NightValues, doubted: Doubt | null): void {
  if (!doubted) return
  forget(had, { rooms: doubted.rooms ?? [], rates: doubted.rates ?? [] })
  const from = Math.max(nightOf(doubted.date_from) - had.first, 0)
  const to = Math.min(nightOf(doubted.date_to) - had.first + 1, had.rooms.length)
  if (from >= to) return
  if (!doubted.rooms) had.rooms.fill(null, from, to)
  if (!doubted.rates)
    for (const terms of had.plans.values())
      for (const column of Object.values(terms)) column.fill(null, from, to)
}

const mostDoubts = 300

/** What is noted before it is sent, and what remains of it when some of it was taken. */
export function doubtOf({ wanted, runs }: Pick<Push, 'wanted' | 'runs'>, took?: Runs): Doubt | null {
  const rooms = left(runs.rooms, took?.rooms)
  const rates = left(runs.rates, took?.rates)
  if (rooms?.length === 0 && rates?.length === 0) return null
  return {
    date_from: dateOf(wanted.first),
    date_to: dateOf(wanted.first + wanted.rooms.length - 1),
    rooms,
    rates,
  }
}

function left<Run>(sent: Run[], took: readonly Run[] = []): Run[] | null {
  const taken = new Set(took)
  const rest = taken.size === 0 ? sent : sent.filter((run) => !taken.has(run))
  return rest.length > mostDoubts ? null : rest
}

export const hasSomethingToSay = ({ claim, changes, runs }: Push) =>
  claim.mode === 'full' ||
  !claim.accepted ||
  changes.length > 0 ||
  runs.rooms.length > 0 ||
  runs.rates.length > 0

/** The push in the words of the port; `isMend` when it answers what the PMS showed. */
export function parcelOf(push: Push, externalId: string, isMend: boolean): Parcel {
  const { claim, content, links, changes, runs } = push
  const whole = claim.mode === 'full' || !claim.accepted
  return {
    id: claim.listing_id,
    externalId,
    plans: links,
    content,
    differing: whole ? 'whole' : membersOf(changes),
    rooms: runs.rooms,
    rates: runs.rates,
    idempotencyKey: keyOf(push, isMend),
    traceparent: claim.traceparent,
    refusedGroups: claim.refused_groups,
  }
}

/**
 * The same wish in the same words has the same key, so a lost reply never becomes a second effect. What mends a drift
 * has a key of its own each time: the same drift may come again, and must not be answered from memory.
 */
function keyOf({ claim, content, changes }: Push, isMend: boolean): string {
  const { listing_id, wanted_version, mode } = claim
  const words = JSON.stringify([mode, content, changes.map(({ field }) => field), isMend && claim.claim])
  return `${listing_id}.${wanted_version}.${createHash('sha256').update(words).digest('base64url').slice(0, 16)}`
}
