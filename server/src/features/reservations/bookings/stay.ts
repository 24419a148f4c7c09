import { Conflict, Invalid, semanticError, unknownReference } from '#errors.ts'
import { isMailAddress } from '#schema/fields.ts'
import { maxNightsAhead, nightOf } from '#schema/nights.ts'
import { maxNights, type Booking } from './booking.ts'
import type { StayFacts } from './stay-queries.ts'

export interface StayTerms {
  readonly rooms: number
  readonly guests: number
  readonly ratePlanId: string | null
  readonly accountId: string | undefined
  readonly currency: string | undefined
  /** Whether the arrival may be before today: the stay is imported, or was quoted in time. */
  readonly mayBePast: boolean
}

/**
 * Checks a stay independently of other bookings. Unchanged values of a stored booking are accepted even if the unit
 * has become smaller since. @throws Invalid
 */
export function assertStayPossible(facts: StayFacts, terms: StayTerms, before: Booking | null = null): void {
  const { rooms, guests } = terms
  if (terms.ratePlanId && !facts.rate_plan_id) throw unknownReference('ratePlanId', 'rate plan of this unit')
  if (terms.accountId && terms.accountId !== facts.account_id)
    throw semanticError('account_id', 'account_id must be the account of the unit.')
  const isElsewhere = before?.unitId !== facts.unit_id
  if (
    terms.currency &&
    terms.currency !== facts.currency &&
    (isElsewhere || terms.currency !== before.currency)
  )
    throw semanticError('currency', `currency must be that of the unit, ${facts.currency}.`)
  if (isElsewhere || before.arrival !== facts.arrival || before.departure !== facts.departure)
    assertNightsPossible(facts)
  if (before?.arrival !== facts.arrival) assertArrivalInReach(facts, terms.mayBePast)
  const hasMore = isElsewhere || before.rooms !== rooms
  if (hasMore && rooms > facts.quantity)
    throw semanticError('rooms', `The unit has ${facts.quantity} rooms, not ${rooms}.`, 'too_large')
  const maxGuests = facts.max_guests * rooms
  if ((hasMore || before.guests !== guests) && guests > maxGuests)
    throw semanticError('guests', `The unit takes ${maxGuests} guests at most, not ${guests}.`, 'too_large')
}

/** @throws Invalid */
function assertNightsPossible({ arrival, departure, nights, check_in, check_out }: StayFacts): void {
  if (nights < 1 || Date.parse(check_out) <= Date.parse(check_in))
    throw semanticError(
      'checkOut',
      `A stay has at least one night: this one arrives on ${arrival} and departs on ${departure}, in the time zone of the space.`,
    )
  if (nights > maxNights)
    throw semanticError('checkOut', `A stay has at most ${maxNights} nights, not ${nights}.`, 'too_large')
  if (!isStorable(arrival, check_in)) throw semanticError('checkIn', 'A stay begins in 1970 at the earliest.')
  if (!isStorable(departure, check_out)) throw semanticError('checkOut', 'A stay ends in 2200 at the latest.')
}

/** @throws Invalid when the arrival is before today, or later than stays can be booked */
function assertArrivalInReach({ arrival, today }: StayFacts, mayBePast: boolean): void {
  if (arrival < today && !mayBePast) throw stayInThePast('checkIn', arrival, today)
  assertNotTooFarAhead('checkIn', arrival, today)
}

export const isTooFarAhead = (arrival: string, today: string): boolean =>
  nightOf(arrival) > nightOf(today) + maxNightsAhead

/** `member` is where the body or the query names the arrival. @throws Invalid */
export function assertNotTooFarAhead(member: string, arrival: string, today: string): void {
  if (isTooFarAhead(arrival, today))
    throw semanticError(
      member,
      `The arrival on ${arrival} is too far ahead: stays can be booked at most ${maxNightsAhead} nights ahead.`,
      'too_large',
    )
}

/** The arrival is before the local date of the space; `member` is where the body names it. */
export const stayInThePast = (member: string, arrival: string, today: string) =>
  new Invalid('stay-in-the-past', [
    {
      pointer: `/${member}`,
      code: 'past',
      message: `The arrival on ${arrival} is in the past: today is ${today} in the time zone of the space.`,
    },
  ])

/** A valid time of the request may be outside the storable years in UTC or in the zone of the space. */
const isStorable = (...times: string[]) =>
  times.every((time) => time.slice(0, 4) >= '1970' && time.slice(0, 4) <= '2200')

/** An unchanged address is accepted, because a PMS may have sent it. @throws Invalid */
export function assertMailable(email: string | null | undefined, stored: string | null = null): void {
  if (!email || email === stored || isMailAddress(email)) return
  throw semanticError(
    'guestEmail',
    'This e-mail address is not deliverable: send one address such as ada@example.com.',
    'wrong_format',
  )
}

/** @throws Conflict */
export function assertBookable({ bookable }: StayFacts): void {
  if (!bookable)
    throw new Conflict('unit-not-bookable', 'The unit cannot be booked: it and its space must be active.')
}

/** The members of a booking that follow from the stay. */
export const stayFields = (facts: StayFacts) => ({
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
