import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import type { Stored } from '#http/replies.ts'
import { addBooking } from '../bookings/add-booking.ts'
import { assertNotTooFarAhead, stayInThePast } from '../bookings/stay.ts'
import { lockUnits } from '../bookings/stay-queries.ts'
import { findStay } from '../pricing/queries.ts'
import { mostCents } from '../pricing/stay-price.ts'
import { assertReachesMinimum, priceOf, reasonsAgainst, type Stay } from '../pricing/stay.ts'
import { insertQuote, setHold } from './queries.ts'
import { refuseImpossibleDates, type QuoteInput } from './quote.ts'

type Made = Stored & { id: string; expires_at: string }

/** Prices a stay that can be sold, and keeps its rooms free if asked. @throws Invalid, NotFound, Conflict */
export async function makeQuote(scope: Scope, input: QuoteInput): Promise<Made> {
  refuseImpossibleDates(input)
  if (!input.hold) return await quote(scope, input)
  return await atomically(scope, async (transaction) => {
    // First, so that what is found free here is free when the rooms are taken.
    await lockUnits(transaction, [input.unit_id])
    return await hold(transaction, input, await quote(transaction, input))
  })
}

async function quote(scope: Scope, input: QuoteInput): Promise<Made> {
  const { unit_id, rate_plan_id = null, check_in, check_out, guests, rooms = 1 } = input
  const stay = await findStay(scope, {
    unitId: unit_id,
    ratePlanId: rate_plan_id,
    arrival: check_in,
    departure: check_out,
  })
  if (!stay) throw new NotFound('unit', unit_id)
  if (!stay.plan) throw unknownReference('rate_plan_id', 'rate plan of this unit')
  refuseMisfit(stay, input, rooms)
  refuseUnsellable(stay, rooms)
  const price = priceOf(stay, { guests, rooms })
  assertReachesMinimum(stay, price, 'check_in')
  if (price.total_cents + price.deposit_cents > mostCents)
    throw semanticError('rooms', 'The price of this stay is more than can be counted.')
  return await insertQuote(scope, stay, { check_in, check_out, guests, rooms, price })
}

/** What cannot be, however free the unit is. */
function refuseMisfit(stay: Stay, { check_in, guests }: QuoteInput, rooms: number): void {
  if (check_in < stay.today) throw stayInThePast('check_in', check_in, stay.today)
  assertNotTooFarAhead('check_in', check_in, stay.today)
  if (rooms > stay.quantity) throw semanticError('rooms', `The unit has ${stay.quantity} rooms.`, 'too_large')
  const most = stay.max_guests * rooms
  if (guests > most) throw semanticError('guests', `${most} guests find room here at most.`, 'too_large')
}

function refuseUnsellable(stay: Stay, rooms: number): void {
  const { unit_status, space_status, plan } = stay
  for (const [thing, status] of [
    ['unit', unit_status],
    ['space', space_status],
    ['rate plan', plan!.status],
  ] as const)
    if (status !== 'active') throw new Conflict('unit-not-bookable', `The ${thing} is ${status}.`)
  const reasons = reasonsAgainst(stay, rooms)
  if (reasons.length === 0) return
  const others = reasons.length > 1 ? ` There are ${reasons.length} reasons in all.` : ''
  throw new Conflict('dates-unavailable', `${reasons[0]!.message}${others}`, { members: { reasons } })
}

async function hold(transaction: Transaction, input: QuoteInput, made: Made): Promise<Made> {
  const { unit_id, check_in, check_out, guests, rooms = 1, guest_name = 'Held for a quote' } = input
  const { id } = await addBooking(transaction, {
    unitId: unit_id,
    guestName: guest_name,
    checkIn: check_in,
    checkOut: check_out,
    guests,
    rooms,
    status: 'pending',
    quoteId: made.id,
    holdExpiresAt: made.expires_at,
  })
  return await setHold(transaction, made.id, id)
}
