import { sql, type NotNull } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { formatUnit, unitStatuses, unitTypes, type UnitRow } from './unit.ts'

const listColumns = {
  columns: ['org_id', 'id', 'account_id', 'space_id', 'status', 'type'],
  indexed: ['space_id'],
  findable: ['id', 'account_id'],
  together: { type: unitTypes, status: unitStatuses },
  named: { kind: 'unit', column: 'name' },
} as const

/**
 * The spaces are read for the rows of the page only. In a join, a plan for any organization sorts all units of a large
 * one for each page: 100 ms instead of 0.07 for 30,000 units beside 2,000 small organizations.
 */
export async function listUnits(scope: Scope, filter: object, page: PageRequest): Promise<ListedRecord[]> {
  const found = await rows(
    scope,
    buildPageQuery(
      'unit',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord & { space: NotNull<string> }>`
        select unit.id, unit.json, ${sortColumn('unit', page)} as sort_value,
          (
            select space.json
            from spaces space
            where space.org_id = unit.org_id and space.id = unit.space_id
          ) as space
        from units unit
        where unit.org_id = ${scope.orgId}
          and unit.deleted_at is null${where}`,
    ),
  )
  return found.map((row) => ({ ...row, json: formatUnit(row) }))
}

export async function findUnit(scope: Scope, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<UnitRow>`
      select unit.json, space.json as space, unit.version
      from units unit
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      where unit.org_id = ${scope.orgId}
        and unit.id = ${id}
        and unit.deleted_at is null`,
  )
  if (!row) throw new NotFound('unit', id)
  return { json: formatUnit(row), version: row.version }
}

/**
 * Waits for transactions that change or book nights of the unit, and makes later ones wait. The caller links the unit, so
 * that each of these transactions either is seen by the first push or finds the new listing.
 */
export const lockUnitForShare = (transaction: Transaction, id: string) =>
  rows(transaction, sql`select 1 from units where org_id = ${transaction.orgId} and id = ${id} for share`)

/** The current date in the time zone of the unit. */
export const localToday = (orgId: string, unitId: string) =>
  sql`(
    select (now() at time zone space.timezone)::date
    from units unit
    join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
    where unit.org_id = ${orgId} and unit.id = ${unitId})`
