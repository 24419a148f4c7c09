import { Conflict, semanticError } from '#errors.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { hasEnded, type Booking, type BookingChange } from './booking.ts'
import { parseStayTime, type StayRequest, type LockedBooking, type StayTime } from './stay-queries.ts'

/** @throws Invalid when a change names what cannot change after creation */
export function assertEditAllowed(before: Booking, change: BookingChange): void {
  if (change.quoteId && change.quoteId !== before.quoteId)
    throw semanticError('quoteId', 'The quote of a booking can be set only when it is created.')
  if (change.source === 'pms' && before.source !== 'pms')
    throw semanticError('source', 'Only bookings made by a PMS have the source pms.')
  if (before.source === 'pms' && change.externalId !== undefined && change.externalId !== before.externalId)
    throw semanticError('externalId', 'Only the PMS can change the externalId of its bookings.')
  if (change.cancellationReason && (change.status ?? before.status) !== 'cancelled')
    throw semanticError('cancellationReason', 'Only a cancelled booking has a cancellationReason.')
}

/** Otherwise another stay could be confirmed at the quoted price. @throws Invalid */
export function assertQuotedStayUnchanged(before: Booking, after: Booking): void {
  if (before.status !== 'pending' || before.quoteId === null) return
  const member = quotedMembers.find((name) => before[name] !== after[name])
  if (member)
    throw semanticError(
      named[member] ?? member,
      'The stay must equal the quote: request a new quote.',
      'not_quoted',
    )
}

const quotedMembers = ['unitId', 'ratePlanId', 'arrival', 'departure', 'rooms', 'guests'] as const
const named: Partial<Record<string, string>> = { arrival: 'checkIn', departure: 'checkOut' }

/** Payments keep their currency, and a stored price is never reinterpreted in another. @throws Conflict, Invalid */
export function assertCurrencyCanChange(
  before: Booking,
  after: Booking,
  { isPaid, hasNewPrice }: { isPaid: boolean; hasNewPrice: boolean },
): void {
  if (isPaid)
    throw new Conflict(
      'resource-in-use',
      `The booking has payments in ${before.currency}: it cannot be priced in ${after.currency}.`,
    )
  if (!hasNewPrice)
    throw semanticError('totalCents', `totalCents is required in the new currency, ${after.currency}.`)
}

/** The booking with the changed members, except those of the stay. */
export function applyChange(before: Booking, change: BookingChange): Booking {
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
 * The stay whose availability is to be checked; null when the change does not touch it. A booking that moves to
 * another unit keeps its local days and times.
 */
export function buildStayRequest(
  current: LockedBooking,
  next: Booking,
  change: BookingChange,
): StayRequest | null {
  const { fields: before, local_check_in, local_check_out } = current
  const earlyCheckOut = earlyDeparture(current, next, change)
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
  if (!earlyCheckOut && names.every((name) => change[name] === undefined)) return null
  const unitId = change.unitId ?? before.unitId
  const changesUnit = unitId !== before.unitId
  const kept = (instant: string, local: string, night: string): StayTime =>
    changesUnit ? { text: local, kind: 'local', night } : { text: instant, kind: 'instant', night }
  return {
    unitId,
    ratePlanId:
      change.ratePlanId === undefined ? (changesUnit ? null : before.ratePlanId) : change.ratePlanId,
    checkIn:
      change.checkIn === undefined
        ? kept(before.checkIn, local_check_in, before.arrival)
        : parseStayTime(change.checkIn),
    checkOut:
      earlyCheckOut ??
      (change.checkOut === undefined
        ? kept(before.checkOut, local_check_out, before.departure)
        : parseStayTime(change.checkOut)),
    rooms: next.rooms,
    currentRooms: changesUnit ? null : { rooms: before.rooms, from: before.arrival, to: before.departure },
  }
}

/** A check-out before the last night frees the remaining nights. */
function earlyDeparture(
  { today, local_check_out }: LockedBooking,
  next: Booking,
  { checkOut }: BookingChange,
): StayTime | null {
  if (next.status !== 'checked_out' || checkOut !== undefined) return null
  const departure = dateOf(Math.max(nightOf(next.arrival) + 1, nightOf(today)))
  if (departure >= next.departure) return null
  return { text: `${departure}T${local_check_out.slice(11)}`, kind: 'local', night: departure }
}

const stayMembers = ['unitId', 'checkIn', 'checkOut', 'arrival', 'departure', 'rooms', 'guests'] as const

/** @throws Conflict */
export function assertEndedStayUnchanged(before: Booking, after: Booking): void {
  if (!hasEnded(before.status) || stayMembers.every((member) => before[member] === after[member])) return
  throw new Conflict('booking-ended', `The booking is ${before.status}: its stay cannot change any more.`)
}

/** Whether it needs a room on a night on which it has none. */
export const takesMoreRooms = (before: Booking, after: Booking): boolean =>
  after.unitId !== before.unitId ||
  after.rooms > before.rooms ||
  after.arrival < before.arrival ||
  after.departure > before.departure
