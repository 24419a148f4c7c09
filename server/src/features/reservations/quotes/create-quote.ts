import { atomically, type Scope, type Transaction, first, rows } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import type { StoredRecord, ListedRecord } from '#db/records.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { hasSubscriber, recordEvents } from '#features/messaging/events/record-events.ts'
import { addBooking } from '#features/reservations/bookings/add-booking.ts'
import { assertNotTooFarAhead, stayInThePast } from '#features/reservations/bookings/stay.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import {
  loadStay,
  assertMinimumReached,
  calculatePrice,
  findObstacles,
  type Stay,
} from '#features/inventory/pricing/stay.ts'
import { maxCents, type StayPrice } from '#features/inventory/pricing/stay-price.ts'
import { assertValidDates, type QuoteInput } from './quote.ts'
import { sql } from '#db/sql.ts'
import { buildPageQuery, rareValues, sortColumn, type PageRequest } from '#db/paging.ts'
import { defaultHoldEnd } from '#features/reservations/bookings/queries.ts'

type CreatedQuote = StoredRecord & { id: string; expires_at: string }

/** Prices a stay that can be sold, and holds its rooms if requested. @throws Invalid, NotFound, Conflict */
export async function createQuote(scope: Scope, input: QuoteInput): Promise<CreatedQuote> {
  assertValidDates(input)
  return await atomically(scope, async (transaction) => {
    // Before the price: the rooms that are found free stay free until the hold is written.
    if (input.hold) await lockUnits(transaction, [input.unit_id])
    const [priced, isSubscribed] = await Promise.all([
      priceStay(transaction, input),
      hasSubscriber(transaction, 'quote.created'),
    ])
    const quote = input.hold ? await holdRooms(transaction, input, priced) : priced
    if (isSubscribed) await recordQuote(transaction, quote)
    else notifyChanges(transaction, { quote: [quote.id] })
    return quote
  })
}

/** Called only while an endpoint subscribes, because there are far more quotes than bookings. */
function recordQuote(transaction: Transaction, { json }: CreatedQuote): Promise<void> {
  const quote = JSON.parse(json) as { id: string; account_id: string }
  return recordEvents(transaction, [
    { type: 'quote.created', accountId: quote.account_id, subjectId: quote.id, data: { quote } },
  ])
}

async function priceStay(scope: Scope, input: QuoteInput): Promise<CreatedQuote> {
  const { unit_id, rate_plan_id = null, check_in, check_out, guests, rooms = 1 } = input
  const stay = await loadStay(scope, {
    unitId: unit_id,
    ratePlanId: rate_plan_id,
    arrival: check_in,
    departure: check_out,
  })
  if (!stay) throw new NotFound('unit', unit_id)
  if (!stay.plan) throw unknownReference('rate_plan_id', 'rate plan of this unit')
  assertStayFits(stay, input, rooms)
  assertSellable(stay, rooms)
  const price = calculatePrice(stay, { guests, rooms })
  assertMinimumReached(stay, price, 'check_in')
  if (price.total_cents + price.deposit_cents > maxCents)
    throw semanticError('rooms', 'The price of this stay exceeds the largest possible amount.')
  return await insertQuote(scope, stay, { check_in, check_out, guests, rooms, price })
}

/** Checks the stay independently of availability. */
function assertStayFits(stay: Stay, { check_in, guests }: QuoteInput, rooms: number): void {
  if (check_in < stay.today) throw stayInThePast('check_in', check_in, stay.today)
  assertNotTooFarAhead('check_in', check_in, stay.today)
  if (rooms > stay.quantity) throw semanticError('rooms', `The unit has ${stay.quantity} rooms.`, 'too_large')
  const maxGuests = stay.max_guests * rooms
  if (guests > maxGuests)
    throw semanticError('guests', `The unit takes ${maxGuests} guests at most.`, 'too_large')
}

function assertSellable(stay: Stay, rooms: number): void {
  const { unit_status, space_status, plan } = stay
  for (const [thing, status] of [
    ['unit', unit_status],
    ['space', space_status],
    ['rate plan', plan!.status],
  ] as const)
    if (status !== 'active') throw new Conflict('unit-not-bookable', `The ${thing} is ${status}.`)
  const reasons = findObstacles(stay, rooms)
  if (reasons.length === 0) return
  const others = reasons.length > 1 ? ` There are ${reasons.length} reasons in all.` : ''
  throw new Conflict('dates-unavailable', `${reasons[0]!.message}${others}`, { members: { reasons } })
}

async function holdRooms(
  transaction: Transaction,
  input: QuoteInput,
  quote: CreatedQuote,
): Promise<CreatedQuote> {
  const { unit_id, check_in, check_out, guests, rooms = 1, guest_name = 'Held for a quote' } = input
  const { id } = await addBooking(transaction, {
    unitId: unit_id,
    guestName: guest_name,
    checkIn: check_in,
    checkOut: check_out,
    guests,
    rooms,
    status: 'pending',
    quoteId: quote.id,
    holdExpiresAt: quote.expires_at,
  })
  return await setHold(transaction, quote.id, id)
}

const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'rate_plan_id', 'booking_id'],
  indexed: ['unit_id'],
  findable: ['rate_plan_id', 'booking_id'],
  lookups: rareValues('quotes', ['account_id']),
}
const createdColumns = sql`id, expires_at, json, version`

export const listQuotes = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'quote',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select quote.id, quote.json, ${sortColumn('quote', page)} as sort_value
        from quotes quote
        where quote.org_id = ${scope.orgId}${where}`,
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
async function insertQuote(scope: Scope, stay: Stay, { price, ...quoted }: Quoted) {
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

async function setHold(transaction: Transaction, id: string, bookingId: string) {
  const [row] = await rows(
    transaction,
    sql<StoredRecord & { id: string; expires_at: string }>`update quotes set hold_booking_id = ${bookingId}
      where org_id = ${transaction.orgId} and id = ${id} returning ${createdColumns}`,
  )
  return row!
}
