import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import {
  assertOnePlace,
  completeCharge,
  completed,
  refuseContradiction,
  refuseOtherPlace,
  type ChargeFields,
  type ChargeInput,
  type Place,
} from './charge.ts'

/** More than anybody needs, and few enough for one price. */
const mostCharges = 100
const stored = sql`json, version`
const filterColumns = ['org_id', 'account_id', 'space_id', 'unit_id', 'kind', 'status']

export const listCharges = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select c.id, c.json, ${sortColumn('c', page)} as sort_value from charges c
      where c.org_id = ${scope.orgId}${filters('c', filter, filterColumns)}${pageClause('c', page)}`,
  )

export async function findCharge(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select ${stored} from charges where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('charge', id)
  return found
}

/** @throws Invalid, Conflict */
export const addCharge = (scope: Scope, input: ChargeInput): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const place = await lockPlace(transaction, input)
    const charge = completed(completeCharge(input, place))
    refuseOtherPlace(charge, place)
    refuseContradiction(charge)
    const [row] = await rows(
      transaction,
      sql<
        Stored & { id: string }
      >`insert into charges (org_id, account_id, space_id, unit_id, name, kind, basis,
          amount_cents, currency, percent, applies_to, included, min_nights, max_nights, charged_nights,
          guests_included, status)
        values (${scope.orgId}, ${place.account_id}, ${place.space_id}, ${place.unit_id}, ${charge.name},
          ${charge.kind}, ${charge.basis}, ${charge.amount_cents}, ${charge.currency}, ${charge.percent},
          ${charge.applies_to}, ${charge.included}, ${charge.min_nights}, ${charge.max_nights},
          ${charge.charged_nights}, ${charge.guests_included}, ${charge.status})
        returning id, ${stored}`,
    )
    return row!
  })

/** Prices that were quoted stay as they are. @throws NotFound, Stale, Invalid */
export const changeCharge = (
  scope: Scope,
  id: string,
  expected: Expected,
  edit: (current: ChargeFields) => ChargeFields,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const { fields, ...current } = await lockCharge(transaction, id)
    refuseStale(expected, current.version)
    const next = completed(edit(fields))
    refuseOtherPlace(next, fields)
    refuseContradiction(next)
    const isSame = (Object.keys(fields) as (keyof ChargeFields)[]).every(
      (name) => fields[name] === next[name],
    )
    if (isSame) return current
    const [row] = await rows(
      transaction,
      sql<Stored>`update charges set name = ${next.name}, kind = ${next.kind}, basis = ${next.basis},
          amount_cents = ${next.amount_cents}, percent = ${next.percent}, applies_to = ${next.applies_to},
          included = ${next.included}, min_nights = ${next.min_nights}, max_nights = ${next.max_nights},
          charged_nights = ${next.charged_nights}, guests_included = ${next.guests_included},
          status = ${next.status}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning ${stored}`,
    )
    return row!
  })

export const removeCharge = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { version } = await lockCharge(transaction, id)
    refuseStale(expected, version)
    await rows(transaction, sql`delete from charges where org_id = ${scope.orgId} and id = ${id}`)
  })

/** The space or unit that a new charge is for. One charge is added to it at a time, so that they can be counted. */
async function lockPlace(transaction: Transaction, input: ChargeInput): Promise<Place> {
  assertOnePlace(input)
  const { space_id, unit_id } = input
  const [member, thing, id, table] = space_id
    ? (['space_id', 'space', space_id, sql.table('spaces')] as const)
    : (['unit_id', 'unit', unit_id!, sql.table('units')] as const)
  const [found, counted] = await Promise.all([
    first(
      transaction,
      sql<{ id: string; account_id: string; currency: string; status: string }>`
        select id, account_id, currency, status from ${table}
        where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for no key update`,
    ),
    first(
      transaction,
      sql<{ charges: number }>`select count(*)::int as charges from charges
        where org_id = ${transaction.orgId} and ${sql.ref(member)} = ${id}`,
    ),
  ])
  if (!found) throw unknownReference(member, thing)
  if (found.status === 'archived')
    throw new Conflict('resource-archived', `The ${thing} is archived: it gets no new charges.`)
  if (counted!.charges >= mostCharges)
    throw semanticError(member, `The ${thing} has ${mostCharges} charges already.`)
  const { account_id, currency } = found
  return { space_id: null, unit_id: null, [member]: found.id, account_id, currency }
}

async function lockCharge(transaction: Transaction, id: string) {
  const found = await first(
    transaction,
    sql<Stored & { fields: ChargeFields }>`select ${stored},
        json_build_object('space_id', space_id, 'unit_id', unit_id, 'account_id', account_id, 'name', name,
          'kind', kind, 'basis', basis, 'amount_cents', amount_cents, 'currency', currency, 'percent', percent,
          'applies_to', applies_to, 'included', included, 'min_nights', min_nights, 'max_nights', max_nights,
          'charged_nights', charged_nights, 'guests_included', guests_included, 'status', status) as fields
      from charges where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  if (!found) throw new NotFound('charge', id)
  return found
}
