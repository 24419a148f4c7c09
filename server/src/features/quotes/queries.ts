import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { pageOf, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { usualHold } from '../bookings/queries.ts'
import type { StayPrice } from '../pricing/stay-price.ts'
import type { Stay } from '../pricing/stay.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'rate_plan_id', 'booking_id'],
  indexed: ['unit_id'],
}
const made = sql`id, expires_at, json, version`

export const listQuotes = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    pageOf(
      'q',
      filter,
      listColumns,
      page,
      (where) => sql<Listed>`
      select q.id, q.json, ${sortColumn('q', page)} as sort_value from quotes q
      where q.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findQuote(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select json, version from quotes where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('quote', id)
  return found
}

interface Quoted {
  readonly check_in: string
  readonly check_out: string
  readonly guests: number
  readonly rooms: number
  readonly price: StayPrice
}

/** For as long as the organization holds rooms: 30 minutes, if it says nothing else. */
export async function insertQuote(scope: Scope, stay: Stay, { price, ...quoted }: Quoted) {
  const [row] = await rows(
    scope,
    sql<Stored & { id: string; expires_at: string }>`
      insert into quotes (org_id, account_id, unit_id, rate_plan_id, check_in, check_out, guests, rooms, currency,
        nightly, line_items, subtotal_cents, discounts_cents, fees_cents, taxes_cents, included_taxes_cents,
        total_cents, deposit_cents, expires_at)
      select ${scope.orgId}, ${stay.account_id}, ${stay.unit_id}, ${stay.plan!.id}, ${quoted.check_in},
        ${quoted.check_out}, ${quoted.guests}, ${quoted.rooms}, ${stay.currency}, ${JSON.stringify(price.nightly)},
        ${JSON.stringify(price.line_items)}, ${price.subtotal_cents}, ${price.discounts_cents}, ${price.fees_cents},
        ${price.taxes_cents}, ${price.included_taxes_cents}, ${price.total_cents}, ${price.deposit_cents},
        ${usualHold(scope)}
      returning ${made}`,
  )
  return row!
}

export async function setHold(transaction: Transaction, id: string, bookingId: string) {
  const [row] = await rows(
    transaction,
    sql<Stored & { id: string; expires_at: string }>`update quotes set hold_booking_id = ${bookingId}
      where org_id = ${transaction.orgId} and id = ${id} returning ${made}`,
  )
  return row!
}
