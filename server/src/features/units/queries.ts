import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound, semanticError, unknownReference } from '#errors.ts'
import { pageOf, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import { nested, type Listed, type Stored } from '#http/replies.ts'
import { recordEvents } from '../events/record-events.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { removeUnits } from '../unit-removal/queries.ts'
import { assertNightsReachMinimum, refusePriced } from './prices-queries.ts'
import { giveUpRooms } from './rooms-queries.ts'
import {
  assertReachesMinimum,
  completeUnit,
  concernsNights,
  refuseIllegalChange,
  type UnitFields,
  type UnitInput,
} from './unit.ts'

interface UnitRow extends Listed {
  space: string
  version: number
}

const withSpace = sql`from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id`
const listColumns = {
  columns: ['org_id', 'account_id', 'space_id', 'status', 'type'],
  indexed: ['space_id'],
}

export const unitText = ({ json, space }: Pick<UnitRow, 'json' | 'space'>) => nested(json, { space })

const stored = (row: UnitRow): Stored => ({ json: unitText(row), version: row.version })

export const listUnits = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    pageOf(
      'u',
      filter,
      listColumns,
      page,
      (where) => sql<UnitRow>`
      select u.id, u.json, s.json as space, ${sortColumn('u', page)} as sort_value ${withSpace}
      where u.org_id = ${scope.orgId} and u.deleted_at is null${where}`,
    ),
  )

export async function findUnit(scope: Scope, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<UnitRow>`select u.json, s.json as space, u.version ${withSpace}
      where u.org_id = ${scope.orgId} and u.id = ${id} and u.deleted_at is null`,
  )
  if (!row) throw new NotFound('unit', id)
  return stored(row)
}

export const addUnit = (scope: Scope, input: UnitInput): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const space = await spaceFor(transaction, input.space_id)
    const unit = completeUnit(input, space)
    refuseOtherAccount(unit.account_id, space.account_id)
    assertReachesMinimum(unit)
    const [row] = await rows(
      transaction,
      sql<{
        id: string
      }>`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests,
          quantity, base_price_cents, min_price_cents, currency, status)
        values (${scope.orgId}, ${unit.account_id}, ${unit.space_id}, ${unit.name}, ${unit.type}, ${unit.bedrooms},
          ${unit.bathrooms}, ${unit.max_guests}, ${unit.quantity}, ${unit.base_price_cents},
          ${unit.min_price_cents}, ${unit.currency}, ${unit.status}) returning id`,
    )
    const made = await findUnit(transaction, row!.id)
    await tell(transaction, 'unit.created', made)
    return { id: row!.id, ...made }
  })

/** Writes the whole unit anew. @throws NotFound, Stale, Conflict, Invalid */
export const replaceUnit = (
  scope: Scope,
  id: string,
  expected: Expected,
  input: UnitInput,
): Promise<Stored> =>
  changeUnit(scope, id, expected, async (_, transaction) =>
    completeUnit(input, await spaceFor(transaction, input.space_id)),
  )

/** Changes a unit as `edit` says and lets the PMS know. @throws NotFound, Stale, Conflict, Invalid */
export const changeUnit = (
  scope: Scope,
  id: string,
  expected: Expected,
  edit: (current: UnitFields, transaction: Transaction) => UnitFields | Promise<UnitFields>,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const { fields, ...current } = await lockUnit(transaction, id)
    refuseStale(expected, current.version)
    const next = await edit(fields, transaction)
    refuseIllegalChange(fields, next)
    assertReachesMinimum(next)
    if (JSON.stringify(fields) === JSON.stringify(next)) return current
    if (next.space_id !== fields.space_id || next.account_id !== fields.account_id)
      refuseOtherAccount(next.account_id, (await spaceFor(transaction, next.space_id)).account_id)
    if (next.currency !== fields.currency) await refusePriced(transaction, id, fields.currency)
    if ((next.min_price_cents ?? 0) > (fields.min_price_cents ?? 0))
      await assertNightsReachMinimum(transaction, id, next.min_price_cents!, next.currency)
    if (next.quantity < fields.quantity) await giveUpRooms(transaction, id, next.quantity)
    const nights = concernsNights(fields, next) ? ({ nights: 'all' } as const) : {}
    const [changed] = await Promise.all([
      rows(
        transaction,
        sql<UnitRow>`with u as (
          update units set account_id = ${next.account_id}, space_id = ${next.space_id}, name = ${next.name},
            type = ${next.type}, bedrooms = ${next.bedrooms}, bathrooms = ${next.bathrooms},
            max_guests = ${next.max_guests}, quantity = ${next.quantity}, base_price_cents = ${next.base_price_cents},
            min_price_cents = ${next.min_price_cents}, currency = ${next.currency}, status = ${next.status}, version = version + 1, updated_at = now()
          where org_id = ${scope.orgId} and id = ${id} returning *)
        select u.json, s.json as space, u.version from u join spaces s on s.org_id = u.org_id and s.id = u.space_id`,
      ),
      requestSync(transaction, { unitId: id, ...nights }, 'change'),
    ])
    const after = stored(changed[0]!)
    await tell(transaction, 'unit.updated', after)
    return after
  })

/** Past bookings stay, and can be read. @throws NotFound, Stale, Conflict */
export const removeUnit = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const unit = await lockUnit(transaction, id)
    refuseStale(expected, unit.version)
    await removeUnits(transaction, [id], 'unit')
  })

async function tell(
  transaction: Transaction,
  type: 'unit.created' | 'unit.updated',
  { json }: Stored,
): Promise<void> {
  const unit = JSON.parse(json) as { id: string; account_id: string }
  await recordEvents(transaction, [{ type, accountId: unit.account_id, subjectId: unit.id, data: { unit } }])
}

async function lockUnit(transaction: Transaction, id: string): Promise<Stored & { fields: UnitFields }> {
  // On its own, because a lock that is waited for inside a join loses a unit that has moved to another space.
  const locked = rows(
    transaction,
    sql`select 1 from units where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  const read = first(
    transaction,
    sql<UnitRow & { fields: UnitFields }>`select u.version, u.json, s.json as space,
        json_build_object('space_id', u.space_id, 'name', u.name, 'type', u.type, 'bedrooms', u.bedrooms,
          'bathrooms', u.bathrooms, 'max_guests', u.max_guests, 'base_price_cents', u.base_price_cents,
          'min_price_cents', u.min_price_cents, 'quantity', u.quantity, 'currency', u.currency, 'status', u.status, 'account_id', u.account_id) as fields
      ${withSpace} where u.org_id = ${transaction.orgId} and u.id = ${id} and u.deleted_at is null`,
  )
  const [, row] = await Promise.all([locked, read])
  if (!row) throw new NotFound('unit', id)
  return { ...stored(row), fields: row.fields }
}

async function spaceFor(transaction: Transaction, id: string) {
  const space = await first(
    transaction,
    sql<{ account_id: string; currency: string }>`select account_id, currency from spaces
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for key share`,
  )
  if (!space) throw unknownReference('space_id', 'space')
  return space
}

function refuseOtherAccount(accountId: string, spaceAccountId: string): void {
  if (accountId !== spaceAccountId)
    throw semanticError('account_id', 'account_id must be the account of the space.')
}
