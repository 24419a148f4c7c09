import { Conflict, semanticError } from '#errors.ts'
import { dateOf, nightOf } from '#nights.ts'
import { hasEnded, type Booking, type BookingChange } from './booking.ts'
import { said, type AskedStay, type LockedBooking, type Said } from './stay-queries.ts'

/** What nobody may say of a booking that is there. @throws Invalid */
export function refuseIllegalEdit(before: Booking, change: BookingChange): void {
  if (change.quoteId && change.quoteId.toLowerCase() !== before.quoteId)
    throw semanticError('quoteId', 'The quote of a booking is named when it is made.')
  if (change.source === 'pms' && before.source !== 'pms')
    throw semanticError('source', 'Only a booking that a PMS has made has the source pms.')
  if (before.source === 'pms' && change.externalId !== undefined && change.externalId !== before.externalId)
    throw semanticError('externalId', 'The PMS decides the externalId of its bookings.')
  if (change.cancellationReason && (change.status ?? before.status) !== 'cancelled')
    throw semanticError('cancellationReason', 'Only a cancelled booking has a cancellationReason.')
}

/** A pending booking by quote is for what was quoted, or confirming it would sell another stay at that price. @throws Invalid */
export function refuseOtherStayOfQuoted(before: Booking, after: Booking): void {
  if (before.status !== 'pending' || before.quoteId === null) return
  const member = quotedMembers.find((name) => before[name] !== after[name])
  if (member)
    throw semanticError(
      named[member] ?? member,
      'The stay is as it was quoted: ask for a new quote.',
      'not_quoted',
    )
}

const quotedMembers = ['unitId', 'ratePlanId', 'arrival', 'departure', 'rooms', 'guests'] as const
const named: Partial<Record<string, string>> = { arrival: 'checkIn', departure: 'checkOut' }

/** What was paid stays in its currency, and a price is never read in another one. @throws Conflict, Invalid */
export function refuseOtherCurrency(
  before: Booking,
  after: Booking,
  { isPaid, isPriced }: { isPaid: boolean; isPriced: boolean },
): void {
  if (isPaid)
    throw new Conflict(
      'resource-in-use',
      `The booking has payments in ${before.currency}: it cannot be priced in ${after.currency}.`,
    )
  if (!isPriced)
    throw semanticError('totalCents', `The price must be named in the new currency, ${after.currency}.`)
}

/** The booking with what is named, but for its stay. */
export function changedFields(before: Booking, change: BookingChange): Booking {
  const {
    checkIn: _in,
    checkOut: _out,
    unitId: _unit,
    ratePlanId: _plan,
    quoteId: _quote,
    ...fields
  } = change
  const named = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const next: Booking = { ...before, ...named, account_id: before.account_id }
  return {
    ...next,
    holdExpiresAt: next.status === 'pending' ? before.holdExpiresAt : null,
    cancellationReason: next.status === 'cancelled' ? next.cancellationReason : null,
  }
}

/**
 * The stay to be weighed; null when nothing of it is named. One that moves to another unit keeps its days and hours
 * as the clocks there show them.
 */
export function movedStay(current: LockedBooking, next: Booking, change: BookingChange): AskedStay | null {
  const { fields: before, local_check_in, local_check_out } = current
  const leaves = earlyDeparture(current, next, change)
  const names = [
    'unitId',
    'ratePlanId',
    'checkIn',
    'checkOut',
    'rooms',
    'guests',
    'totalCents',
    'currency',
    'account_id',
  ] as const
  if (!leaves && names.every((name) => change[name] === undefined)) return null
  const unitId = change.unitId?.toLowerCase() ?? before.unitId
  const moves = unitId !== before.unitId
  const kept = (instant: string, local: string, night: string): Said =>
    moves ? { text: local, kind: 'local', night } : { text: instant, kind: 'instant', night }
  return {
    unitId,
    ratePlanId: change.ratePlanId === undefined ? (moves ? null : before.ratePlanId) : change.ratePlanId,
    checkIn:
      change.checkIn === undefined
        ? kept(before.checkIn, local_check_in, before.arrival)
        : said(change.checkIn),
    checkOut:
      leaves ??
      (change.checkOut === undefined
        ? kept(before.checkOut, local_check_out, before.departure)
        : said(change.checkOut)),
    rooms: next.rooms,
    held: moves ? null : { rooms: before.rooms, from: before.arrival, to: before.departure },
  }
}

/** Who checks out before the last night gives the rest of them back. */
function earlyDeparture(
  { today, local_check_out }: LockedBooking,
  next: Booking,
  { checkOut }: BookingChange,
): Said | null {
  if (next.status !== 'checked_out' || checkOut !== undefined) return null
  const departure = dateOf(Math.max(nightOf(next.arrival) + 1, nightOf(today)))
  if (departure >= next.departure) return null
  return { text: `${departure}T${local_check_out.slice(11)}`, kind: 'local', night: departure }
}

const stayMembers = ['unitId', 'checkIn', 'checkOut', 'arrival', 'departure', 'rooms', 'guests'] as const

/** @throws Conflict */
export function refuseOtherStayOfEnded(before: Booking, after: Booking): void {
  if (!hasEnded(before.status) || stayMembers.every((member) => before[member] === after[member])) return
  throw new Conflict('booking-ended', `The booking is ${before.status}: its stay cannot change any more.`)
}

/** Whether it takes a room on a night that it does not have. */
export const takesMore = (before: Booking, after: Booking): boolean =>
  after.unitId !== before.unitId ||
  after.rooms > before.rooms ||
  after.arrival < before.arrival ||
  after.departure > before.departure
