import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope } from '#db/scope.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import { assertVersion, type ExpectedVersion, type ListedRecord, type StoredRecord } from '#db/records.ts'
import { NotFound } from '#errors.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import {
  assertValues,
  maxUnits,
  type SeasonApplication,
  type SeasonInput,
  type SeasonValue,
} from './season.ts'

export const listSeasons = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`select season.id, season.json, ${sortColumn('season', page)} as sort_value from seasons season
      where season.org_id = ${scope.orgId}${filterClause('season', filter, ['org_id'])}${pageClause('season', page)}`,
  )

interface StoredSeason extends StoredRecord {
  readonly name: string
  readonly values: SeasonValue[]
}

export async function findSeason(scope: Scope, id: string): Promise<StoredSeason> {
  const found = await first(
    scope,
    sql<StoredSeason>`select json, version, name, season_values as values from seasons
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('season', id)
  return found
}

/** @throws Invalid */
export const createSeason = (scope: Scope, input: SeasonInput): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    assertValues(input)
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`insert into seasons (org_id, name, season_values)
        values (${scope.orgId}, ${input.name}, ${JSON.stringify(input.values)}) returning id, json, version`,
    )
    notifyChanges(transaction, { season: [row!.id] })
    return row!
  })

/** Nights that it was applied to stay unchanged. @throws NotFound, PreconditionFailed, Invalid */
export const replaceSeason = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  input: SeasonInput,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    assertValues(input)
    const values = JSON.stringify(input.values)
    await assertCurrent(transaction, id, expected)
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`update seasons set name = ${input.name}, season_values = ${values},
          version = version + (case when (name, season_values) = (${input.name}, ${values}::jsonb) then 0 else 1 end),
          updated_at = case when (name, season_values) = (${input.name}, ${values}::jsonb) then updated_at else now() end
        where org_id = ${scope.orgId} and id = ${id} returning json, version`,
    )
    notifyChanges(transaction, { season: [id] })
    return row!
  })

export const deleteSeason = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    await assertCurrent(transaction, id, expected)
    await rows(transaction, sql`delete from seasons where org_id = ${scope.orgId} and id = ${id}`)
    notifyChanges(transaction, { season: [id] })
  })

async function assertCurrent(scope: Scope, id: string, expected: ExpectedVersion): Promise<void> {
  const found = await first(
    scope,
    sql<{
      version: number
    }>`select version from seasons where org_id = ${scope.orgId} and id = ${id} for update`,
  )
  if (!found) throw new NotFound('season', id)
  assertVersion(expected, found.version)
}

/**
 * The units of spaces, or all, that are not archived; at most one more than a change may have, to detect that there
 * are too many.
 */
export async function unitsToChange(scope: Scope, { space_ids }: SeasonApplication): Promise<string[]> {
  const inSpaces = space_ids ? sql` and space_id = any(${space_ids}::uuid[])` : sql``
  const found = await rows(
    scope,
    sql<{ id: string }>`select id from units
      where org_id = ${scope.orgId} and deleted_at is null and status <> 'archived'${inSpaces}
      order by id limit ${maxUnits + 1}`,
  )
  return found.map(({ id }) => id)
}
