import { sql } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'space_id', 'unit_id', 'content_type'],
  findable: ['unit_id', 'space_id'],
}

export const listMedia = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'media',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select media.id, media.json, ${sortColumn('media', page)} as sort_value
        from media
        where media.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findMedia(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`select json, version from media where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('media', id)
  return found
}

/** The media of a unit move with it to another space. */
export const moveMedia = (transaction: Transaction, unitId: string, spaceId: string, accountId: string) =>
  rows(
    transaction,
    sql`
      update media
      set space_id = ${spaceId}, account_id = ${accountId}, version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and unit_id = ${unitId}`,
  )

/** The property, or the unit in it, that media belong to. */
export interface MediaPlace {
  readonly propertyId: string
  readonly unitId: string | null
}

/** @throws NotFound, Conflict, Invalid */
export async function findPlace(
  scope: Scope,
  { propertyId, unitId }: MediaPlace,
  purpose: 'reading' | 'writing' = 'writing',
): Promise<{ accountId: string }> {
  const [space, unit] = await Promise.all([
    first(
      scope,
      sql<{ account_id: string; status: string }>`
        select account_id, status
        from spaces
        where org_id = ${scope.orgId} and id = ${propertyId} and deleted_at is null`,
    ),
    unitId === null
      ? undefined
      : first(
          scope,
          sql<{ space_id: string }>`
            select space_id
            from units
            where org_id = ${scope.orgId} and id = ${unitId} and deleted_at is null`,
        ),
  ])
  if (!space) throw new NotFound('property', propertyId)
  if (space.status === 'archived' && purpose === 'writing')
    throw new Conflict('resource-archived', 'The property is archived. Media cannot be added to it.')
  if (unitId !== null) {
    if (!unit) throw unknownReference('unit_id', 'unit')
    if (unit.space_id !== propertyId) throw semanticError('unit_id', 'The unit is in another property.')
  }
  return { accountId: space.account_id }
}
