import { atomically, type Scope } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import { dateOf } from '#schema/nights.ts'
import type { PortfolioPlan } from '#integrations/pms/pms-portfolio.ts'
import type { RemoteUnit, UnitLink } from '#integrations/pms/pms.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { PmsAccess } from '#features/distribution/pms-access/connect.ts'
import { nightsAhead } from '#features/distribution/sync/diff/calendar-grid.ts'
import { listPlans, listUnits, lockItem, type Item, type UnitContent } from './item-queries.ts'
import { linkUnit, makeUnit, readRooms, type ImportedUnit } from './make-unit.ts'
import { lockImport, updateImport, type ImportState } from './queries.ts'
import { skipEmptySpaces, skipUnit } from './skip-items.ts'

/** The calendars of this many units are in memory together. */
const maxUnitsPerRead = 25

/** Makes the next units with their calendars and links, each in a transaction of its own. @throws PmsFailure */
export async function importUnits(
  scope: Scope,
  target: TargetConnection,
  access: PmsAccess,
  { id }: ImportState,
): Promise<void> {
  const units = await listUnits(scope, id, 'units', Math.min(access.provider.unitsPerRead, maxUnitsPerRead))
  if (units.length === 0) return await endStage(scope, id)
  const plans = await listPlans(
    scope,
    id,
    units.map(({ external_id }) => external_id),
  )
  const plansOf = Map.groupBy(plans, ({ parent_id }) => parent_id)
  const links = units.map((unit) => toLink(unit, plansOf.get(unit.external_id) ?? []))
  const shown = await access.pms.readUnits(links, nightsToRead(), access.call)
  for (const unit of units) {
    const remote = shown.get(unit.external_id) ?? null
    await importUnit(scope, {
      importId: id,
      target,
      access,
      unit,
      plans: plansOf.get(unit.external_id) ?? [],
      remote,
    })
  }
}

const endStage = (scope: Scope, id: string) =>
  atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, id)
    if (current?.status !== 'running' || current.stage !== 'units') return
    await skipEmptySpaces(transaction, id)
    await updateImport(transaction, id, { stage: 'bookings', cursor: null })
  })

/** The plans are named by their ids at the PMS; the room itself by an empty name. */
const toLink = (
  { external_id, content }: Item<UnitContent>,
  plans: readonly Item<PortfolioPlan>[],
): UnitLink => ({
  externalId: external_id,
  ...(content.shown && { shown: content.shown }),
  plans:
    plans.length === 0
      ? [{ plan: '', externalId: null }]
      : plans.map((plan) => ({ plan: plan.external_id, externalId: plan.external_id })),
})

/** From the day that is today anywhere. */
function nightsToRead() {
  const today = Math.floor(Date.now() / 86_400_000)
  return { date_from: dateOf(today - 1), date_to: dateOf(today + nightsAhead) }
}

/** A unit that our rules refuse is skipped, so that it does not stop the others. */
async function importUnit(scope: Scope, { remote, ...work }: ImportedUnit & { remote: RemoteUnit | null }) {
  const { importId, unit } = work
  try {
    await atomically(scope, async (transaction) => {
      const current = await lockImport(transaction, importId)
      if (current?.status !== 'running' || !(await lockItem(transaction, unit.id))) return
      if (!remote) await skipUnit(transaction, importId, unit.external_id, 'not_found')
      else if (unit.reason === 'already_linked' || unit.content.rooms)
        await readRooms(transaction, unit, remote)
      else if (unit.record_id) await linkUnit(transaction, work, unit.record_id)
      else await makeUnit(transaction, work, remote)
    })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const reason = error.code === 'duplicate-mapping' ? 'already_linked' : 'not_possible'
    await atomically(scope, (transaction) => skipUnit(transaction, importId, unit.external_id, reason))
  }
}
