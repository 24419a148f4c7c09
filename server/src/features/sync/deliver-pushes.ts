import { atomically, type Scope } from '#db/scope.ts'
import { dateOf } from '#nights.ts'
import { PmsFailure, type FailureCode } from '#outside/pms/pms-failure.ts'
import type { Call } from '#outside/pms/pms-call.ts'
import type { Delivery, PmsConnection, Provider, Shown, UnitLink } from '#outside/pms/pms.ts'
import { changesFromShown } from './content.ts'
import { differencesBetween, shownNights, type Difference } from './differences.ts'
import { runsBetween } from './night-values.ts'
import { acceptedOf, hasSomethingToSay, parcelOf, preparePushes, type Push } from './prepare-pushes.ts'
import { keepCreated, takenExternalIds } from './settle-queries.ts'

/** What became of one push. */
export interface Result {
  readonly push: Push
  readonly action: 'sync.completed' | 'sync.skipped' | 'sync.verified' | 'sync.repaired'
  readonly delivery: Delivery
  /** What a look at the PMS found; null when nobody looked. */
  readonly found: readonly Difference[] | null
}

interface Way {
  readonly scope: Scope
  readonly targetId: string
  readonly provider: Provider
  readonly connection: PmsConnection
  readonly call: Call
}

/**
 * Brings the PMS to what these pushes want, by the cheapest calls: units that it lacks are made, what a person or
 * the clock asked to be looked at is read back, and what differs goes out together.
 */
export async function deliverPushes(way: Way, pushes: readonly Push[]): Promise<Result[]> {
  const results: Result[] = []
  const made = await makeMissing(way, pushes, results)
  const looked = await readBack(way, made, results)
  const said = looked.filter(({ push }) => hasSomethingToSay(push))
  const silent = looked.filter(({ push }) => !hasSomethingToSay(push))
  for (const { push } of silent)
    results.push({ push, action: 'sync.skipped', delivery: nothingSent, found: null })
  if (said.length === 0) return results
  const parcels = said.map(({ push, found }) => parcelOf(push, push.claim.external_id!, found !== null))
  const deliveries = await way.connection.push(parcels, way.call)
  for (const { push, found } of said)
    results.push({
      push,
      action: found?.length ? 'sync.repaired' : 'sync.completed',
      delivery: deliveries.get(push.claim.listing_id) ?? failedWith(forgotten()),
      found,
    })
  return results
}

interface Looked {
  readonly push: Push
  readonly found: readonly Difference[] | null
}

/** Listings that were linked with `create`: their units are made at the PMS, once. */
async function makeMissing(way: Way, pushes: readonly Push[], results: Result[]): Promise<Push[]> {
  const ready: Push[] = []
  for (const push of pushes) {
    if (push.claim.external_id !== null) {
      ready.push(push)
      continue
    }
    try {
      ready.push(await make(way, push))
    } catch (error) {
      results.push({ push, action: 'sync.completed', delivery: failedWith(error), found: null })
    }
  }
  return ready
}

/** Until then its plans had no names over there, so that what is to be said of their nights follows only now. */
async function make(way: Way, { claim, unit, content }: Push): Promise<Push> {
  const { scope, targetId, provider, connection, call } = way
  const made = await connection.create(
    {
      content,
      plans: unit.plans.map(({ id, name, is_default }) => ({ plan: id, name, isDefault: is_default })),
      taken: await atomically(scope, (transaction) => takenExternalIds(transaction, targetId)),
      idempotencyKey: claim.listing_id,
    },
    call,
  )
  const rate_plans = made.plans
    .filter(({ externalId }) => externalId !== null)
    .map(({ plan, externalId }) => ({ rate_plan_id: plan, external_id: externalId! }))
  const link = { external_id: made.externalId, rate_plans }
  const kept = await atomically(scope, (transaction) =>
    keepCreated(transaction, { id: claim.listing_id, claim: claim.claim }, link),
  )
  if (kept.length === 0)
    throw new PmsFailure('internal', 'The listing changed while its unit was made at the PMS.', {
      hint: 'Nothing to do: the push is tried again by itself.',
    })
  const [ready] = await preparePushes(scope, targetId, provider, [{ ...claim, ...link }])
  return ready!
}

/** A look that was asked for is owed whatever else there is to say; a person also wants one when there is nothing. */
function wantsLook(push: Push): boolean {
  const { mode, accepted, trigger, looking } = push.claim
  if (mode === 'full' || !accepted) return false
  return looking || ((trigger === 'manual' || trigger === 'connector') && !hasSomethingToSay(push))
}

async function readBack(way: Way, pushes: readonly Push[], results: Result[]): Promise<Looked[]> {
  const looks = pushes.filter(wantsLook)
  const rest: Looked[] = pushes.filter((push) => !wantsLook(push)).map((push) => ({ push, found: null }))
  if (looks.length === 0) return rest
  const { shown, failed } = await look(way, looks)
  results.push(...failed)
  for (const push of looks) {
    if (!shown.has(push.claim.external_id!)) continue
    const seen = shown.get(push.claim.external_id!) ?? null
    const found = differencesBetween(push, seen, way.provider)
    const mend = toMend(push, seen, way.provider)
    if (found.length === 0 && !hasSomethingToSay(mend))
      results.push({ push, action: 'sync.verified', delivery: nothingSent, found })
    else rest.push({ push: mend, found })
  }
  return rest
}

/**
 * What the PMS shows of these, as far as it can be asked. One that it refuses to show must not keep it from showing the
 * others, so the two halves are asked for apart.
 */
async function look(
  way: Way,
  pushes: readonly Push[],
): Promise<{ shown: Map<string, Shown | null>; failed: Result[] }> {
  try {
    const shown = await way.connection.read(pushes.map(unitLinkOf), nightsOfAll(pushes), way.call)
    return {
      shown: new Map(pushes.map(({ claim: { external_id: id } }) => [id!, shown.get(id!) ?? null])),
      failed: [],
    }
  } catch (error) {
    const delivery = failedWith(error)
    if (pushes.length === 1 || !concernsOne.has(delivery.failure!.code))
      return {
        shown: new Map(),
        failed: pushes.map((push) => ({ push, action: 'sync.verified', delivery, found: null })),
      }
    const half = Math.ceil(pushes.length / 2)
    const first = await look(way, pushes.slice(0, half))
    const second = await look(way, pushes.slice(half))
    return { shown: new Map([...first.shown, ...second.shown]), failed: [...first.failed, ...second.failed] }
  }
}

/** Failures that may be those of one unit among many. */
const concernsOne: ReadonlySet<FailureCode> = new Set([
  'mapping_not_found',
  'validation_rejected',
  'conflict',
])

/** The push that brings the PMS from what it shows to what is wanted. */
function toMend(push: Push, seen: Shown | null, provider: Provider): Push {
  if (!seen) return { ...push, claim: { ...push.claim, accepted: null }, runs: wholeRuns(push, provider) }
  const had = shownNights(push.wanted, seen)
  return {
    ...push,
    had,
    changes: changesFromShown(acceptedOf(push.claim), push.claim.in_doubt, seen.content, push.content),
    runs: runsBetween(had, push.wanted, provider.terms, false),
  }
}

const wholeRuns = ({ had, wanted }: Push, { terms }: Provider) => runsBetween(had, wanted, terms, true)

export const unitLinkOf = ({ claim, links }: Push): UnitLink => ({
  externalId: claim.external_id!,
  plans: links,
})

/** From the first to the last night that any of them looks at. */
export function nightsOfAll(pushes: readonly Push[]) {
  const first = Math.min(...pushes.map(({ wanted }) => wanted.first))
  const last = Math.max(...pushes.map(({ wanted }) => wanted.first + wanted.rooms.length - 1))
  return { date_from: dateOf(first), date_to: dateOf(last) }
}

const forgotten = () =>
  new PmsFailure('internal', 'Nothing is known of what the PMS did with it.', {
    hint: 'Nothing to do: the push is tried again by itself.',
  })

const nothingSent: Delivery = {
  tookContent: true,
  tookRooms: [],
  tookRates: [],
  exchanges: [],
  failure: null,
}

/** @throws what is no failure of the PMS */
export function failedWith(error: unknown): Delivery {
  if (!(error instanceof PmsFailure)) throw error
  return {
    tookContent: false,
    tookRooms: [],
    tookRates: [],
    exchanges: error.exchange ? [error.exchange] : [],
    failure: error,
  }
}
