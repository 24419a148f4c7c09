import { randomUUID } from 'node:crypto'
import { sql } from '#db/sql.ts'
import {
  atomically,
  first,
  rows,
  violates,
  writeWithCommit,
  type Scope,
  type Transaction,
} from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import {
  findSpaceDefaults,
  resolveAccountId,
  selectSpaceDefault,
} from '#features/tenancy/organizations/queries.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { assertNoAmounts, setChargeCurrency } from '#features/inventory/charges/queries.ts'
import { deleteUnits } from '#features/inventory/unit-deletion/delete-units.ts'
import { withSpaceDefaults, assertChangeAllowed, type SpaceFields, type SpaceInput } from './space.ts'

const recordColumns = sql`json, version`
const listColumns = {
  columns: ['org_id', 'account_id', 'status', 'country', 'city'],
  indexed: ['account_id'],
  findable: ['status', 'city', 'country'],
  named: { kind: 'space', column: 'name' },
} as const

export const listSpaces = (scope: Scope, filter: SpaceFilter, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'space',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select space.id, space.json, ${sortColumn('space', page)} as sort_value
        from spaces space
        where space.org_id = ${scope.orgId}
          and space.deleted_at is null${hasKey('city_key', filter.city)}${hasKey('country_key', filter.country)}${where}`,
    ),
  )

interface SpaceFilter {
  readonly city?: readonly string[]
  readonly country?: readonly string[]
}

/** The indexes of places are on the words in lower case. */
const hasKey = (column: 'city_key' | 'country_key', values?: readonly string[]) =>
  values
    ? sql` and ${sql.ref(`space.${column}`)} in (${sql.join(values.map((value) => sql`lower(${value})`))})`
    : sql``

export async function findSpace(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`
      select ${recordColumns}
      from spaces
      where org_id = ${scope.orgId} and id = ${id} and deleted_at is null`,
  )
  if (!found) throw new NotFound('space', id)
  return found
}

/** @throws Invalid */
export async function createSpace(scope: Scope, input: SpaceInput): Promise<StoredRecord & { id: string }> {
  const accountId = input.account_id ?? scope.accountId
  if (!accountId) throw unknownReference('account_id', 'account')
  const id = randomUUID()
  const space = withSpaceDefaults(input, accountId, {
    timezone: selectSpaceDefault(scope, 'timezone'),
    currency: selectSpaceDefault(scope, 'currency'),
  })
  const insert = sql<StoredRecord & { id: string }>`
    insert into spaces (org_id, id, account_id, name, address, city, state, zip, country, amenities, description, status,
      timezone, currency)
    values (${scope.orgId}, ${id}, ${space.account_id}, ${space.name}, ${space.address}, ${space.city}, ${space.state},
      ${space.zip}, ${space.country}, ${JSON.stringify(space.amenities)}, ${space.description}, ${space.status},
      ${space.timezone}, ${space.currency})
    returning id, ${recordColumns}`
  try {
    const [created] = await writeWithCommit(scope, insert, (transaction) =>
      recordSpaceEvent(transaction, 'space.created', id),
    )
    return created!
  } catch (error) {
    throw violates(error, '23503', 'spaces') ? unknownReference('account_id', 'account') : error
  }
}

/** Replaces all fields; a missing account_id keeps the account. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const replaceSpace = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  input: SpaceInput,
): Promise<StoredRecord> =>
  updateSpace(scope, id, expected, async (current, transaction) =>
    withSpaceDefaults(input, input.account_id ?? current.account_id, await findSpaceDefaults(transaction)),
  )

/** Changes the fields to what `edit` returns, and requests a sync. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const updateSpace = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  edit: (current: SpaceFields, transaction: Transaction) => SpaceFields | Promise<SpaceFields>,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const current = await lockSpace(transaction, id)
    assertVersion(expected, current.version)
    const next = await edit(current.fields, transaction)
    assertChangeAllowed(current.fields, next)
    if (JSON.stringify(current.fields) === JSON.stringify(next)) return current
    if (next.account_id !== current.fields.account_id) await resolveAccountId(transaction, next.account_id)
    const hasNewCurrency = next.currency !== current.fields.currency
    if (hasNewCurrency) await assertNoAmounts(transaction, 'space_id', id)
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`
        update spaces
        set account_id = ${next.account_id}, name = ${next.name}, address = ${next.address}, city = ${next.city},
          state = ${next.state}, zip = ${next.zip}, country = ${next.country},
          amenities = ${JSON.stringify(next.amenities)}, description = ${next.description}, status = ${next.status},
          timezone = ${next.timezone}, currency = ${next.currency}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}
        returning ${recordColumns}`,
    )
    // The time zone decides which night is today's, and the status whether nights are sold at all.
    const { timezone, status } = current.fields
    const affectsNights = next.timezone !== timezone || next.status !== status
    await Promise.all([
      hasNewCurrency && setChargeCurrency(transaction, 'space_id', id, next.currency),
      requestSync(transaction, { spaceId: id, ...(affectsNights && { nights: 'all' }) }, 'change'),
      recordSpaceEvent(transaction, 'space.updated', id),
    ])
    return row!
  })

/** Deletes its archived units too. @throws NotFound, PreconditionFailed, Conflict */
export const deleteSpace = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const space = await lockSpace(transaction, id)
    assertVersion(expected, space.version)
    await assertNoUnits(transaction, id)
    await deleteUnits(transaction, await lockUnitsOfSpace(transaction, id), 'space')
    await Promise.all([
      ...['charges', 'media', 'sales_stops'].map((table) =>
        rows(
          transaction,
          sql`delete from ${sql.ref(table)} where org_id = ${scope.orgId} and space_id = ${id}`,
        ),
      ),
      rows(
        transaction,
        sql`
          update spaces
          set status = 'archived', deleted_at = now(), version = version + 1, updated_at = now()
          where org_id = ${scope.orgId} and id = ${id}`,
      ),
    ])
    const { fields, json } = space
    const data = { space: JSON.parse(json) as unknown }
    await recordEvents(transaction, [
      { type: 'space.deleted', accountId: fields.account_id, subjectId: id, data },
    ])
  })

const lockUnitsOfSpace = async (transaction: Transaction, spaceId: string): Promise<string[]> =>
  (
    await rows(
      transaction,
      sql<{ id: string }>`
        select id
        from units
        where org_id = ${transaction.orgId} and space_id = ${spaceId} and deleted_at is null
        order by id
        for update`,
    )
  ).map(({ id }) => id)

/** @throws Conflict that lists units that are not archived */
async function assertNoUnits(transaction: Transaction, spaceId: string): Promise<void> {
  const { unit_count, units } = (await first(
    transaction,
    sql<{ unit_count: number; units: string[] }>`
      with unit as (
        select id, created_at
        from units
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

const recordSpaceEvent = (transaction: Transaction, type: 'space.created' | 'space.updated', id: string) =>
  recordEvents(transaction, [
    {
      type,
      subjectId: id,
      record: sql`
        select account_id, json_build_object('space', json::json) as data
        from spaces
        where org_id = ${transaction.orgId} and id = ${id}`,
    },
  ])

async function lockSpace(
  transaction: Transaction,
  id: string,
): Promise<StoredRecord & { fields: SpaceFields }> {
  const row = await first(
    transaction,
    sql<StoredRecord & { fields: SpaceFields }>`
      select ${recordColumns},
        json_build_object('name', name, 'address', address, 'city', city, 'state', state, 'zip', zip, 'country', country,
          'amenities', amenities, 'description', description, 'status', status, 'timezone', timezone,
          'currency', currency, 'account_id', account_id) as fields
      from spaces
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null
      for update`,
  )
  if (!row) throw new NotFound('space', id)
  return row
}
