import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { accountFor } from '../accounts/queries.ts'
import { defaultsOf } from '../organizations/queries.ts'
import { recordEvents } from '../events/record-events.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { removeUnits } from '../unit-removal/queries.ts'
import { completeSpace, refuseIllegalChange, type SpaceFields, type SpaceInput } from './space.ts'

const stored = sql`json, version`
const filterColumns = ['org_id', 'account_id', 'status', 'country', 'city']

export const listSpaces = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select s.id, s.json, ${sortColumn('s', page)} as sort_value from spaces s
      where s.org_id = ${scope.orgId} and s.deleted_at is null${filters('s', filter, filterColumns)}${pageClause('s', page)}`,
  )

export async function findSpace(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select ${stored} from spaces
      where org_id = ${scope.orgId} and id = ${id} and deleted_at is null`,
  )
  if (!found) throw new NotFound('space', id)
  return found
}

export const addSpace = (scope: Scope, input: SpaceInput): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const [accountId, defaults] = await Promise.all([
      accountFor(transaction, input.account_id),
      defaultsOf(transaction),
    ])
    const space = completeSpace(input, accountId, defaults)
    const [row] = await rows(
      transaction,
      sql<
        Stored & { id: string }
      >`insert into spaces (org_id, account_id, name, address, city, state, zip, country,
          amenities, description, status, timezone, currency)
        values (${scope.orgId}, ${space.account_id}, ${space.name}, ${space.address}, ${space.city}, ${space.state},
          ${space.zip}, ${space.country}, ${JSON.stringify(space.amenities)}, ${space.description}, ${space.status},
          ${space.timezone}, ${space.currency})
        returning id, ${stored}`,
    )
    await tell(transaction, 'space.created', row!)
    return row!
  })

/** Writes the whole space anew; only whose it is stays when it is not named. @throws NotFound, Stale, Conflict, Invalid */
export const replaceSpace = (
  scope: Scope,
  id: string,
  expected: Expected,
  input: SpaceInput,
): Promise<Stored> =>
  changeSpace(scope, id, expected, async (current, transaction) =>
    completeSpace(input, input.account_id ?? current.account_id, await defaultsOf(transaction)),
  )

/** Changes a space as `edit` says and lets the PMS know. @throws NotFound, Stale, Conflict, Invalid */
export const changeSpace = (
  scope: Scope,
  id: string,
  expected: Expected,
  edit: (current: SpaceFields, transaction: Transaction) => SpaceFields | Promise<SpaceFields>,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const current = await lockSpace(transaction, id)
    refuseStale(expected, current.version)
    const next = await edit(current.fields, transaction)
    refuseIllegalChange(current.fields, next)
    if (JSON.stringify(current.fields) === JSON.stringify(next)) return current
    if (next.account_id !== current.fields.account_id) await accountFor(transaction, next.account_id)
    const [row] = await rows(
      transaction,
      sql<Stored>`update spaces set account_id = ${next.account_id}, name = ${next.name}, address = ${next.address},
          city = ${next.city}, state = ${next.state}, zip = ${next.zip}, country = ${next.country},
          amenities = ${JSON.stringify(next.amenities)}, description = ${next.description}, status = ${next.status},
          timezone = ${next.timezone}, currency = ${next.currency}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning ${stored}`,
    )
    // Which night begins today, and whether any may be sold, follow from the space.
    const { timezone, status } = current.fields
    const showsInNights = next.timezone !== timezone || next.status !== status
    await Promise.all([
      requestSync(transaction, { spaceId: id, ...(showsInNights && { nights: 'all' }) }, 'change'),
      tell(transaction, 'space.updated', row!),
    ])
    return row!
  })

/** Its archived units go with it. @throws NotFound, Stale, Conflict */
export const removeSpace = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const space = await lockSpace(transaction, id)
    refuseStale(expected, space.version)
    await assertNoUnits(transaction, id)
    await removeUnits(transaction, await lockUnitsOf(transaction, id), 'space')
    await Promise.all([
      ...['charges', 'media', 'sales_stops'].map((table) =>
        rows(
          transaction,
          sql`delete from ${sql.table(table)} where org_id = ${scope.orgId} and space_id = ${id}`,
        ),
      ),
      rows(
        transaction,
        sql`update spaces set status = 'archived', deleted_at = now(), version = version + 1, updated_at = now()
          where org_id = ${scope.orgId} and id = ${id}`,
      ),
    ])
    await tell(transaction, 'space.deleted', space)
  })

const lockUnitsOf = async (transaction: Transaction, spaceId: string): Promise<string[]> =>
  (
    await rows(
      transaction,
      sql<{ id: string }>`select id from units
        where org_id = ${transaction.orgId} and space_id = ${spaceId} and deleted_at is null order by id for update`,
    )
  ).map(({ id }) => id)

/** @throws Conflict naming units that are not archived */
async function assertNoUnits(transaction: Transaction, spaceId: string): Promise<void> {
  const { unit_count, units } = (await first(
    transaction,
    sql<{ unit_count: number; units: string[] }>`
      with unit as (
        select id, created_at from units
        where org_id = ${transaction.orgId} and space_id = ${spaceId} and status <> 'archived')
      select (select count(*)::int from unit) as unit_count,
        array(select id from unit order by created_at, id limit 10) as units`,
  ))!
  if (unit_count === 0) return
  const counted = unit_count === 1 ? '1 unit that is' : `${unit_count} units that are`
  throw new Conflict(
    'resource-in-use',
    `The space still has ${counted} not archived: archive or delete the units first, or archive the space instead.`,
    { members: { held_by: { units, unit_count } } },
  )
}

async function tell(
  transaction: Transaction,
  type: 'space.created' | 'space.updated' | 'space.deleted',
  { json }: Stored,
): Promise<void> {
  const space = JSON.parse(json) as { id: string; account_id: string }
  await recordEvents(transaction, [
    { type, accountId: space.account_id, subjectId: space.id, data: { space } },
  ])
}

async function lockSpace(transaction: Transaction, id: string): Promise<Stored & { fields: SpaceFields }> {
  const row = await first(
    transaction,
    sql<
      Stored & { fields: SpaceFields }
    >`select ${stored}, json_build_object('name', name, 'address', address,
        'city', city, 'state', state, 'zip', zip, 'country', country, 'amenities', amenities,
        'description', description, 'status', status, 'timezone', timezone, 'currency', currency,
        'account_id', account_id) as fields
      from spaces where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for update`,
  )
  if (!row) throw new NotFound('space', id)
  return row
}
