import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { formatMoney } from '#schema/money.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import {
  assertOnePlace,
  withChargeDefaults,
  withDefaultAppliesTo,
  assertConsistent,
  assertSamePlace,
  type ChargeFields,
  type ChargeInput,
  type ChargePlace,
} from './charge.ts'

/** Of one space or unit. All of them are loaded to price a stay. */
const maxCharges = 100
const recordColumns = sql`json, version`
const listColumns = {
  columns: ['org_id', 'account_id', 'space_id', 'unit_id', 'kind', 'status'],
  indexed: ['unit_id', 'space_id'],
}

export const listCharges = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'charge',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select charge.id, charge.json, ${sortColumn('charge', page)} as sort_value
        from charges charge
        where charge.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findCharge(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`select ${recordColumns} from charges where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('charge', id)
  return found
}

/** @throws Invalid, Conflict */
export const createCharge = (scope: Scope, input: ChargeInput): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const place = await lockPlace(transaction, input)
    const charge = withDefaultAppliesTo(withChargeDefaults(input, place))
    assertSamePlace(charge, place)
    assertConsistent(charge)
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`
        insert into charges (org_id, account_id, space_id, unit_id, name, kind, basis, amount_cents, currency,
          percent, applies_to, included, min_nights, max_nights, charged_nights,
          guests_included, status)
        values (${scope.orgId}, ${place.account_id}, ${place.space_id}, ${place.unit_id}, ${charge.name},
          ${charge.kind}, ${charge.basis}, ${charge.amount_cents}, ${charge.currency}, ${charge.percent},
          ${charge.applies_to}, ${charge.included}, ${charge.min_nights}, ${charge.max_nights},
          ${charge.charged_nights}, ${charge.guests_included}, ${charge.status})
        returning id, ${recordColumns}`,
    )
    notifyChanges(transaction, { charge: [row!.id] })
    return row!
  })

/** Prices that were quoted do not change. @throws NotFound, PreconditionFailed, Invalid */
export const updateCharge = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  edit: (current: ChargeFields) => ChargeFields,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const { fields, ...current } = await lockCharge(transaction, id)
    assertVersion(expected, current.version)
    const next = withDefaultAppliesTo(edit(fields))
    assertSamePlace(next, fields)
    assertConsistent(next)
    const isSame = (Object.keys(fields) as (keyof ChargeFields)[]).every(
      (name) => fields[name] === next[name],
    )
    if (isSame) return current
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`
        update charges
        set name = ${next.name}, kind = ${next.kind}, basis = ${next.basis},
          amount_cents = ${next.amount_cents}, percent = ${next.percent}, applies_to = ${next.applies_to},
          included = ${next.included}, min_nights = ${next.min_nights}, max_nights = ${next.max_nights},
          charged_nights = ${next.charged_nights}, guests_included = ${next.guests_included},
          status = ${next.status}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}
        returning ${recordColumns}`,
    )
    notifyChanges(transaction, { charge: [id] })
    return row!
  })

export const deleteCharge = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { version } = await lockCharge(transaction, id)
    assertVersion(expected, version)
    await rows(transaction, sql`delete from charges where org_id = ${scope.orgId} and id = ${id}`)
    notifyChanges(transaction, { charge: [id] })
  })

/** The charges of a space or unit are in its currency, so it cannot change while one has an amount. @throws Conflict */
export async function assertNoAmounts(
  transaction: Transaction,
  column: 'space_id' | 'unit_id',
  id: string,
): Promise<void> {
  const charge = await first(
    transaction,
    sql<{ id: string; name: string; amount_cents: number; currency: string }>`
      select id, name, amount_cents::float8, currency
      from charges
      where org_id = ${transaction.orgId} and ${sql.ref(column)} = ${id} and amount_cents > 0
      order by created_at, id
      limit 1`,
  )
  if (!charge) return
  const amount = formatMoney(charge.amount_cents, charge.currency)
  throw new Conflict(
    'resource-in-use',
    `The charge ${charge.name} is ${amount}. Delete it, change the currency, then create it with an amount in the new one.`,
    { members: { held_by: { charges: [charge.id] } } },
  )
}

/** Charges without an amount follow the currency of their space or unit. */
export const setChargeCurrency = (
  transaction: Transaction,
  column: 'space_id' | 'unit_id',
  id: string,
  currency: string,
) =>
  rows(
    transaction,
    sql`
      update charges
      set currency = ${currency}, version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and ${sql.ref(column)} = ${id}`,
  )

/**
 * Locks the space or unit of a new charge, so that concurrent requests cannot exceed the maximum number of charges.
 * @throws Invalid, Conflict
 */
async function lockPlace(transaction: Transaction, input: ChargeInput): Promise<ChargePlace> {
  assertOnePlace(input)
  const { space_id, unit_id } = input
  const [member, thing, id, table] = space_id
    ? (['space_id', 'space', space_id, sql.ref('spaces')] as const)
    : (['unit_id', 'unit', unit_id!, sql.ref('units')] as const)
  const [found, charges] = await Promise.all([
    first(
      transaction,
      sql<{ id: string; account_id: string; currency: string; status: string }>`
        select id, account_id, currency, status
        from ${table}
        where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null
        for no key update`,
    ),
    first(
      transaction,
      sql<{ count: number }>`
        select count(*)::int as count
        from charges
        where org_id = ${transaction.orgId} and ${sql.ref(member)} = ${id}`,
    ),
  ])
  if (!found) throw unknownReference(member, thing)
  if (found.status === 'archived')
    throw new Conflict('resource-archived', `The ${thing} is archived. Charges cannot be added to it.`)
  if (charges!.count >= maxCharges)
    throw semanticError(member, `The ${thing} has ${maxCharges} charges already.`)
  const { account_id, currency } = found
  return { space_id: null, unit_id: null, [member]: found.id, account_id, currency }
}

async function lockCharge(transaction: Transaction, id: string) {
  const found = await first(
    transaction,
    sql<StoredRecord & { fields: ChargeFields }>`
      select ${recordColumns},
        json_build_object('space_id', space_id, 'unit_id', unit_id, 'account_id', account_id, 'name', name,
          'kind', kind, 'basis', basis, 'amount_cents', amount_cents, 'currency', currency, 'percent', percent,
          'applies_to', applies_to, 'included', included, 'min_nights', min_nights, 'max_nights', max_nights,
          'charged_nights', charged_nights, 'guests_included', guests_included, 'status', status) as fields
      from charges
      where org_id = ${transaction.orgId} and id = ${id}
      for update`,
  )
  if (!found) throw new NotFound('charge', id)
  return found
}
