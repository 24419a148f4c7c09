import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { defaultHoldEnd } from '#features/reservations/bookings/queries.ts'
import type { StayPrice } from '#features/inventory/pricing/stay-price.ts'
import type { Stay } from '#features/inventory/pricing/stay.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'rate_plan_id', 'booking_id'],
  indexed: ['unit_id'],
}
const createdColumns = sql`id, expires_at, json, version`

export const listQuotes = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'q',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
      select q.id, q.json, ${sortColumn('q', page)} as sort_value from quotes q
      where q.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findQuote(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`select json, version from quotes where org_id = ${scope.orgId} and id = ${id}`,
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

/** The quote expires when a hold of the organization would. */
export async function insertQuote(scope: Scope, stay: Stay, { price, ...quoted }: Quoted) {
  const [row] = await rows(
    scope,
    sql<StoredRecord & { id: string; expires_at: string }>`
      insert into quotes (org_id, account_id, unit_id, rate_plan_id, check_in, check_out, guests, rooms, currency,
        nightly, line_items, subtotal_cents, discounts_cents, fees_cents, taxes_cents, included_taxes_cents,
        total_cents, deposit_cents, expires_at)
      select ${scope.orgId}, ${stay.account_id}, ${stay.unit_id}, ${stay.plan!.id}, ${quoted.check_in},
        ${quoted.check_out}, ${quoted.guests}, ${quoted.rooms}, ${stay.currency}, ${JSON.stringify(price.nightly)},
        ${JSON.stringify(price.line_items)}, ${price.subtotal_cents}, ${price.discounts_cents}, ${price.fees_cents},
        ${price.taxes_cents}, ${price.included_taxes_cents}, ${price.total_cents}, ${price.deposit_cents},
        ${defaultHoldEnd(scope)}
      returning ${createdColumns}`,
  )
  return row!
}

export async function setHold(transaction: Transaction, id: string, bookingId: string) {
  const [row] = await rows(
    transaction,
    sql<StoredRecord & { id: string; expires_at: string }>`update quotes set hold_booking_id = ${bookingId}
      where org_id = ${transaction.orgId} and id = ${id} returning ${createdColumns}`,
  )
  return row!
}
