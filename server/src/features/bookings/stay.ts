import { Conflict, Invalid, semanticError, unknownReference } from '#errors.ts'
import { isMailAddress } from '#mail-address.ts'
import { maxNightsAhead, nightOf } from '#nights.ts'
import { mostNights, type Booking } from './booking.ts'
import type { StayFacts } from './stay-queries.ts'

export interface Wanted {
  readonly rooms: number
  readonly guests: number
  readonly ratePlanId: string | null
  readonly accountId: string | undefined
  readonly currency: string | undefined
  /** Whether the stay may have begun before today: it is imported, or was quoted in time. */
  readonly mayBePast: boolean
}

/**
 * What cannot be, whoever has the rooms. What a booking is already is not held against it, although its unit may
 * have become smaller since. @throws Invalid
 */
export function refuseImpossible(facts: StayFacts, wanted: Wanted, before: Booking | null = null): void {
  const { rooms, guests } = wanted
  if (wanted.ratePlanId && !facts.rate_plan_id) throw unknownReference('ratePlanId', 'rate plan of this unit')
  if (wanted.accountId && wanted.accountId.toLowerCase() !== facts.account_id)
    throw semanticError('account_id', 'account_id must be the account of the unit.')
  const isElsewhere = before?.unitId !== facts.unit_id
  if (
    wanted.currency &&
    wanted.currency !== facts.currency &&
    (isElsewhere || wanted.currency !== before.currency)
  )
    throw semanticError('currency', `currency must be that of the unit, ${facts.currency}.`)
  if (isElsewhere || before.arrival !== facts.arrival || before.departure !== facts.departure)
    refuseImpossibleNights(facts)
  if (before?.arrival !== facts.arrival) assertArrivalInReach(facts, wanted.mayBePast)
  const hasMore = isElsewhere || before.rooms !== rooms
  if (hasMore && rooms > facts.quantity)
    throw semanticError('rooms', `The unit has ${facts.quantity} rooms, not ${rooms}.`, 'too_large')
  const most = facts.max_guests * rooms
  if ((hasMore || before.guests !== guests) && guests > most)
    throw semanticError('guests', `${most} guests fit, not ${guests}.`, 'too_large')
}

/** @throws Invalid */
export function refuseImpossibleNights({ arrival, departure, nights, check_in, check_out }: StayFacts): void {
  if (nights < 1 || Date.parse(check_out) <= Date.parse(check_in))
    throw semanticError(
      'checkOut',
      `A stay has at least one night: this one arrives on ${arrival} and leaves on ${departure}, where the space is.`,
    )
  if (nights > mostNights)
    throw semanticError('checkOut', `A stay has ${mostNights} nights at most, not ${nights}.`, 'too_large')
  if (!isKeepable(arrival, check_in)) throw semanticError('checkIn', 'A stay begins in 1970 at the earliest.')
  if (!isKeepable(departure, check_out)) throw semanticError('checkOut', 'A stay ends in 2200 at the latest.')
}

/** @throws Invalid when the arrival is before today, or later than stays can be booked */
function assertArrivalInReach({ arrival, today }: StayFacts, mayBePast: boolean): void {
  if (arrival < today && !mayBePast) throw stayInThePast('checkIn', arrival, today)
  assertNotTooFarAhead('checkIn', arrival, today)
}

/** `member` is where the body or the query names the arrival. @throws Invalid */
export function assertNotTooFarAhead(member: string, arrival: string, today: string): void {
  if (nightOf(arrival) > nightOf(today) + maxNightsAhead)
    throw semanticError(
      member,
      `The arrival on ${arrival} is too far ahead: stays can be booked ${maxNightsAhead} nights from today at most.`,
      'too_large',
    )
}

/** An arrival on a day that is over where the space is; `member` is where the body names it. */
export const stayInThePast = (member: string, arrival: string, today: string) =>
  new Invalid('stay-in-the-past', [
    {
      pointer: `/${member}`,
      code: 'past',
      message: `The arrival on ${arrival} is in the past: where the space is, today is ${today}.`,
    },
  ])

/** A time may be inside of what we keep where it was said, and outside of it in UTC or where the space is. */
const isKeepable = (...times: string[]) =>
  times.every((time) => time.slice(0, 4) >= '1970' && time.slice(0, 4) <= '2200')

/** What is stored already, a PMS may have said. @throws Invalid */
export function assertMailable(email: string | null | undefined, stored: string | null = null): void {
  if (!email || email === stored || isMailAddress(email)) return
  throw semanticError(
    'guestEmail',
    'Mail cannot reach this address: it must be one address such as ada@example.com.',
    'wrong_format',
  )
}

/** @throws Conflict */
export function refuseUnbookable({ bookable }: StayFacts): void {
  if (!bookable)
    throw new Conflict('unit-not-bookable', 'The unit is not sold: it and its space must both be active.')
}

/** Where and when, as it follows from what was asked. */
export const placeOf = (facts: StayFacts) => ({
  account_id: facts.account_id,
  spaceId: facts.space_id,
  unitId: facts.unit_id,
  ratePlanId: facts.rate_plan_id,
  checkIn: facts.check_in,
  checkOut: facts.check_out,
  arrival: facts.arrival,
  departure: facts.departure,
  nights: facts.nights,
})
