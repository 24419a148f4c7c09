import { sql, type NotNull } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import type { PortfolioSpace, PortfolioUnit } from '#integrations/pms/pms-portfolio.ts'
import { sellsByPlan, type Provider } from '#integrations/pms/pms-provider.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { listMappingsElsewhere, listUnlinkedUnits } from '#features/distribution/linking/queries.ts'
import { waitsForBlocks } from './item-queries.ts'
import { listMatchedUnits } from './plan-queries.ts'

/** The records here that an import must not make again. */
export interface KnownRecords {
  /** The unit that a room of the PMS is linked to; null when another target links it. Undefined: it is not linked. */
  linkedUnit(externalId: string): string | null | undefined
  /** Whether an import that ended early has made the unit, but not its blocks. */
  waitsForBlocks(externalId: string): boolean
  /** The only unit of this name that is linked neither to the target nor to another property; once in an import. */
  takeUnitNamed(name: string): string | undefined
  /** The space that units of this property are in. */
  spaceOf(space: PortfolioSpace): string | undefined
}

export async function loadKnownRecords(
  scope: Scope,
  target: TargetConnection,
  importId: string,
): Promise<KnownRecords> {
  const [linked, elsewhere, unlinked, others, matched] = await Promise.all([
    listLinkedUnits(scope, target.id),
    listMappingsElsewhere(scope, target),
    listUnlinkedUnits(scope, target),
    listUnitsOfOtherProperties(scope, target),
    listMatchedUnits(scope, importId),
  ])
  const unitIds = new Map<string | null, string | null>([
    ...elsewhere.map(({ external_id }) => [external_id, null] as const),
    ...linked.map(({ external_id, unit_id }) => [external_id, unit_id] as const),
  ])
  const waiting = new Set(
    linked.filter((unit) => unit.waits_for_blocks).map(({ external_id }) => external_id),
  )
  // A double room of another property is another room, and so is a second one of this name on a later page.
  const otherIds = new Set([...others, ...matched].map(({ unit_id }) => unit_id))
  const byName = Map.groupBy(
    unlinked.filter(({ id }) => !otherIds.has(id)),
    ({ name }) => normalized(name),
  )
  return {
    linkedUnit: (externalId) => unitIds.get(externalId),
    waitsForBlocks: (externalId) => waiting.has(externalId),
    takeUnitNamed(name) {
      const [unit, ...others] = byName.get(normalized(name)) ?? []
      if (others.length > 0) return undefined
      byName.delete(normalized(name))
      return unit?.id
    },
    spaceOf: (space) =>
      // A property of the PMS has one target, and all its units are in one space.
      linked.find((unit) => space.name !== null || placeMembers.every((name) => unit[name] === space[name]))
        ?.space_id,
  }
}

const normalized = (name: string) => name.trim().toLowerCase()

const placeMembers = [
  'address',
  'city',
  'state',
  'zip',
  'description',
] as const satisfies (keyof PortfolioSpace)[]

const listLinkedUnits = (scope: Scope, targetId: string) =>
  rows(
    scope,
    sql<
      {
        external_id: NotNull<string>
        unit_id: string
        space_id: string
        waits_for_blocks: boolean
      } & Pick<PortfolioSpace, (typeof placeMembers)[number]>
    >`
      select listing.external_id, listing.unit_id, unit.space_id, space.address, space.city, space.state, space.zip,
        space.description, listing.status = 'paused' and exists (
          select 1
          from imports import
          join import_items item
            on item.org_id = import.org_id
            and item.import_id = import.id
            and item.kind = 'unit'
            and item.external_id = listing.external_id
          where import.org_id = listing.org_id
            and import.channel_target_id = listing.channel_target_id
            and item.record_id = listing.unit_id
            and ${waitsForBlocks}) as waits_for_blocks
      from channel_listings listing
      join units unit
        on unit.org_id = listing.org_id
        and unit.id = listing.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where listing.org_id = ${scope.orgId}
        and listing.channel_target_id = ${targetId}
        and listing.external_id is not null
      order by listing.created_at, listing.id`,
  )

/** The units that are linked to another property or account at the same provider. */
const listUnitsOfOtherProperties = (scope: Scope, { id, config }: TargetConnection) =>
  rows(
    scope,
    sql<{ unit_id: string }>`
      select listing.unit_id
      from channel_targets target
      join channel_listings listing
        on listing.org_id = target.org_id
        and listing.channel_target_id = target.id
      where target.org_id = ${scope.orgId}
        and target.id <> ${id}
        and target.config ->> 'provider' = ${config.provider ?? 'generic'}`,
  )

/** Why a unit of the PMS cannot be imported; null when it can. */
export function obstacleOf(unit: PortfolioUnit, provider: Pick<Provider, 'hasPlans' | 'roomHasTerms'>) {
  if (!unit.active) return 'not_active'
  if (unit.currency === null) return 'no_currency'
  if (sellsByPlan(provider) && unit.rate_plans.every(({ currency }) => currency !== unit.currency))
    return 'no_rate_plan'
  return null
}

/** The active plans of a unit. */
export const listUnitPlans = (scope: Scope, unitId: string) =>
  rows(
    scope,
    sql<{ id: string; name: string; is_default: boolean }>`
      select id, name, is_default
      from rate_plans
      where org_id = ${scope.orgId}
        and unit_id = ${unitId}
        and status = 'active'
      order by created_at, id`,
  )
