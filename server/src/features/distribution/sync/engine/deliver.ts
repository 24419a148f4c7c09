import type { PushResult } from '#features/distribution/sync/push.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { dateOf } from '#schema/nights.ts'
import { PmsFailure, type FailureCode } from '#integrations/pms/pms-failure.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { UpdateResult, PmsConnection, RemoteUnit, UnitLink } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import {
  diffFromShown,
  findDifferences,
  shownGrid,
  type Difference,
} from '#features/distribution/sync/diff/content.ts'
import { diffGrids } from '#features/distribution/sync/diff/calendar-grid.ts'
import { acceptedContent, hasChanges, toUnitUpdate, planPushes } from './plan-push.ts'
import { type Push } from '#features/distribution/sync/push.ts'
import { saveCreatedIds, listExternalIds } from './queries.ts'
import { checkResult, failedUpdate } from './update-result.ts'

interface DeliveryContext {
  readonly scope: Scope
  readonly targetId: string
  readonly provider: Provider
  readonly connection: PmsConnection
  readonly call: CallContext
}

/**
 * Brings the PMS to the desired state of these pushes in as few calls as it allows: creates missing units, reads back
 * listings where that was requested, and sends the differences together.
 */
export async function deliverPushes(
  context: DeliveryContext,
  pushes: readonly Push[],
): Promise<PushResult[]> {
  const results: PushResult[] = []
  const linked = await createMissing(context, pushes, results)
  const compared = await readBack(context, linked, results)
  const changed = compared.filter(({ push }) => hasChanges(push))
  const unchanged = compared.filter(({ push }) => !hasChanges(push))
  for (const { push } of unchanged)
    results.push({ push, action: 'sync.skipped', update: nothingSent, differences: null })
  if (changed.length === 0) return results
  const updates = changed.map(({ push, differences }) =>
    toUnitUpdate(push, push.claim.external_id!, differences !== null),
  )
  const updateResults = await context.connection.push(updates, context.call)
  for (const [at, { push, differences }] of changed.entries())
    results.push({
      push,
      action: differences?.length ? 'sync.repaired' : 'sync.completed',
      update: checkResult(updates[at]!, updateResults.get(push.claim.listing_id)),
      differences,
    })
  return results
}

interface ComparedPush {
  readonly push: Push
  /** What the read-back found; null when the listing was not read back. */
  readonly differences: readonly Difference[] | null
}

/** Listings that were linked with `create`: their units are created at the PMS, once. */
async function createMissing(
  context: DeliveryContext,
  pushes: readonly Push[],
  results: PushResult[],
): Promise<Push[]> {
  const ready: Push[] = []
  for (const push of pushes) {
    if (push.claim.external_id !== null) {
      ready.push(push)
      continue
    }
    try {
      ready.push(await createUnit(context, push))
    } catch (error) {
      results.push({ push, action: 'sync.completed', update: failedUpdate(error), differences: null })
    }
  }
  return ready
}

/** The plans got their ids at the PMS just now, so the push is planned again with their nights. */
async function createUnit(context: DeliveryContext, { claim, unit, content }: Push): Promise<Push> {
  const { scope, targetId, provider, connection, call } = context
  const created = await connection.createUnit(
    {
      content,
      // An archived plan that is linked is closed; one that is not linked does not concern the PMS.
      plans: unit.plans
        .filter(({ status }) => status !== 'archived')
        .map(({ id, name, is_default }) => ({ plan: id, name, isDefault: is_default })),
      linkedIds: await atomically(scope, (transaction) => listExternalIds(transaction, targetId)),
      idempotencyKey: claim.listing_id,
    },
    call,
  )
  const rate_plans = created.plans
    .filter(({ externalId }) => externalId !== null)
    .map(({ plan, externalId }) => ({ rate_plan_id: plan, external_id: externalId! }))
  const link = { external_id: created.externalId, rate_plans }
  const saved = await atomically(scope, (transaction) =>
    saveCreatedIds(transaction, { id: claim.listing_id, claim: claim.claim }, link),
  )
  if (saved.length === 0)
    throw new PmsFailure('internal', 'The listing changed while its unit was created at the PMS.', {
      hint: 'No action is needed: the push is retried automatically.',
    })
  const [replanned] = await planPushes(scope, targetId, provider, [{ ...claim, ...link }])
  if (replanned!.failure) throw replanned!.failure
  return replanned!
}

/** A requested read-back is always made; for a manual request also when nothing has changed. */
function needsReadBack(push: Push): boolean {
  const { mode, accepted, trigger, reading_back } = push.claim
  if (mode === 'full' || !accepted) return false
  return reading_back || ((trigger === 'manual' || trigger === 'connector') && !hasChanges(push))
}

async function readBack(
  context: DeliveryContext,
  pushes: readonly Push[],
  results: PushResult[],
): Promise<ComparedPush[]> {
  const toRead = pushes.filter(needsReadBack)
  const compared: ComparedPush[] = pushes
    .filter((push) => !needsReadBack(push))
    .map((push) => ({ push, differences: null }))
  if (toRead.length === 0) return compared
  const { shown, failed } = await readShown(context, toRead)
  results.push(...failed)
  for (const push of toRead) {
    if (!shown.has(push.claim.external_id!)) continue
    const seen = shown.get(push.claim.external_id!) ?? null
    const differences = findDifferences(push, seen, context.provider)
    const repair = repairPush(push, seen, context.provider)
    if (differences.length === 0 && !hasChanges(repair))
      results.push({ push, action: 'sync.verified', update: nothingSent, differences })
    else compared.push({ push: repair, differences })
  }
  return compared
}

/**
 * What the PMS shows for these units. When a read fails because of one unit, its tenths are read separately, and then
 * each unit of one that fails, so that the other units are still read.
 */
export async function readShown(
  { connection, call }: Pick<DeliveryContext, 'connection' | 'call'>,
  pushes: readonly Push[],
): Promise<{ shown: Map<string, RemoteUnit | null>; failed: PushResult[] }> {
  const shown = new Map<string, RemoteUnit | null>()
  const failed: PushResult[] = []
  const groups = [pushes]
  let unavailable = 0
  for (let group = groups.pop(); group; group = groups.pop()) {
    try {
      const found = await connection.readUnits(group.map(unitLinkOf), nightRange(group), call)
      for (const { claim } of group) shown.set(claim.external_id!, found.get(claim.external_id!) ?? null)
      unavailable = 0
    } catch (error) {
      const update = failedUpdate(error)
      const { code } = update.failure!
      unavailable = code === 'pms_unavailable' ? unavailable + 1 : 0
      const isOutage = unavailable === maxUnavailable
      const mayConcernOneUnit = unitFailures.has(code) || (unavailable > 0 && !isOutage)
      if (group.length > 1 && mayConcernOneUnit) groups.push(...tenthsOf(group).reverse())
      else {
        const unread = isOutage ? [group, ...groups.splice(0)].flat() : group
        failed.push(
          ...unread.map((push) => ({ push, action: 'sync.verified', update, differences: null }) as const),
        )
      }
    }
  }
  return { shown, failed }
}

/**
 * A PMS that fails for one unit fails for all, its tenth and itself before it shows another one. One that is down would be
 * called for each unit, which opens its circuit.
 */
const maxUnavailable = 4

const tenthsOf = (group: readonly Push[]): (readonly Push[])[] => {
  const size = Math.ceil(group.length / 10)
  return Array.from({ length: Math.ceil(group.length / size) }, (_, at) =>
    group.slice(at * size, (at + 1) * size),
  )
}

/** Failures of a call for one unit that another call does not cure. */
export const unitFailures: ReadonlySet<FailureCode> = new Set([
  'mapping_not_found',
  'validation_rejected',
  'conflict',
])

/** The push that changes what the PMS shows, as far as it shows nights, to what is desired. */
function repairPush(push: Push, seen: RemoteUnit | null, { terms }: Provider): Push {
  const { claim, content, desired, known } = push
  if (!seen)
    return { ...push, claim: { ...claim, accepted: null }, runs: diffGrids(known, desired, terms, true) }
  const shown = shownGrid(desired, seen, known)
  return {
    ...push,
    known: shown,
    changes: diffFromShown(acceptedContent(claim), claim.unconfirmed_fields, seen.content, content),
    runs: diffGrids(shown, desired, terms, false),
  }
}

const unitLinkOf = ({ claim, links }: Push): UnitLink => ({
  externalId: claim.external_id!,
  plans: links,
})

/** From the first to the last night of all of them. */
function nightRange(pushes: readonly Push[]) {
  const first = Math.min(...pushes.map(({ desired }) => desired.first))
  const last = Math.max(...pushes.map(({ desired }) => desired.first + desired.rooms.length - 1))
  return { date_from: dateOf(first), date_to: dateOf(last) }
}

const nothingSent: UpdateResult = {
  contentAccepted: true,
  acceptedRooms: [],
  acceptedRates: [],
  exchanges: [],
  failure: null,
}
