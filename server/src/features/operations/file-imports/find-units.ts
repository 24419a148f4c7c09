import { sql, type Fragment } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { isUuid } from '#schema/fields.ts'
import type { RowReader } from './read-row.ts'

export interface FoundUnit {
  id: string
  name: string
  currency: string
  /** Where it is. */
  today: string
}

interface UnitName {
  unit: string
  space: string | undefined
}

/**
 * The units that a row may mean: by id, by the id in the system that they were imported from, or by name. At most two,
 * because it must be one.
 */
export async function listUnitsNamed(scope: Scope, name: UnitName): Promise<FoundUnit[]> {
  const { unit } = name
  const found = await listUnits(
    scope,
    sql`and (unit.id = ${isUuid(unit) ? unit : null}::uuid
      or unit.id = any(array(
        select unit_id from unit_references where org_id = ${scope.orgId} and reference = ${unit}))
      or ${mayBeNamed(name)} and unit.name = ${unit})`,
  )
  return found.length > 0 ? found : await listUnitsAlike(scope, name)
}

/** By name only: that of one unit may be the id of another in the system that they were imported from. */
export async function findUnitNamed(scope: Scope, name: UnitName): Promise<FoundUnit | undefined> {
  const found = await listUnits(scope, sql`and ${mayBeNamed(name)} and unit.name = ${name.unit}`)
  return found[0] ?? (await listUnitsAlike(scope, name))[0]
}

/** Names in other letters count if none has exactly this one. */
const listUnitsAlike = (scope: Scope, name: UnitName) =>
  listUnits(scope, sql`and ${mayBeNamed(name)} and lower(unit.name) = lower(${name.unit})`)

/** The condition whose index finds the units. */
const mayBeNamed = ({ unit, space }: UnitName) => sql`
  unit.name_order = order_key(${unit})
  and ${space === undefined ? sql`true` : sql`space.name_key = lower(${space})`}`

/** The condition begins with `and`. */
const listUnits = (scope: Scope, condition: Fragment) =>
  rows(
    scope,
    sql<FoundUnit>`
      select unit.id, unit.name, unit.currency,
        (now() at time zone space.timezone)::date::text as today
      from units unit
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where unit.org_id = ${scope.orgId}
        and unit.deleted_at is null
        and unit.status <> 'archived'
        ${condition}
      order by unit.id
      limit 2`,
  )

/** What the rows of a transaction have named: many rows are about the same unit. */
export type KnownUnits = Map<string, FoundUnit[]>

/** The unit of a row; an error of the row when there is none or more than one. */
export async function findUnitOf(
  scope: Scope,
  row: RowReader,
  known: KnownUnits,
): Promise<FoundUnit | undefined> {
  const unit = row.required('unit', row.text('unit', 255))
  const space = row.text('space', 255)
  if (unit === undefined) return undefined
  const name = JSON.stringify([unit, space])
  const named = known.get(name) ?? (await listUnitsNamed(scope, { unit, space }))
  known.set(name, named)
  const [found, other] = named
  if (!found)
    return row.fail(
      'unit',
      'reference_not_found',
      'There is no unit with this id or name, or it is archived.',
    )
  if (other)
    return row.fail(
      'unit',
      'ambiguous',
      'Several units have this name. Map a column with the space, or use ids.',
    )
  return found
}

/** By its id in the system that it was imported from, or here: a file may have been exported here. */
export const findUnitByReference = (scope: Scope, reference: string) =>
  first(
    scope,
    sql<{ id: string }>`
      select id
      from units
      where org_id = ${scope.orgId}
        and deleted_at is null
        and (id = ${isUuid(reference) ? reference : null}::uuid
          or id = any(array(
            select unit_id from unit_references where org_id = ${scope.orgId} and reference = ${reference})))
      limit 1`,
  )

/** Imports that run at the same time make a unit once: the later one waits, and finds it. */
export const lockImportedUnits = (transaction: Transaction) =>
  rows(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended('imported units ' || ${transaction.orgId}::text, 0))`,
  )

export const saveReference = (transaction: Transaction, reference: string, unitId: string) =>
  rows(
    transaction,
    sql`
      insert into unit_references (org_id, reference, unit_id)
      values (${transaction.orgId}, ${reference}, ${unitId})
      on conflict (org_id, reference) do update set unit_id = excluded.unit_id`,
  )

export const findSpaceNamed = (scope: Scope, { name, accountId }: { name: string; accountId: string }) =>
  first(
    scope,
    sql<{ id: string; currency: string }>`
      select id, currency
      from spaces
      where org_id = ${scope.orgId}
        and account_id = ${accountId}
        and name_key = lower(${name})
        and deleted_at is null
        and status <> 'archived'
      order by created_at, id
      limit 1`,
  )
