import type { BookingChange, BookingInput, BookingPatch } from './booking.ts'

/** What a client may decide; the rest of a body repeats what was read. */
const members = [
  'unitId',
  'ratePlanId',
  'quoteId',
  'account_id',
  'guestName',
  'guestEmail',
  'guestPhone',
  'notes',
  'guests',
  'rooms',
  'checkIn',
  'checkOut',
  'totalCents',
  'currency',
  'status',
  'source',
  'cancellationReason',
] as const
type Member = (typeof members)[number]

export const toldBy = <Body extends BookingInput | BookingPatch>(body: Body) =>
  Object.fromEntries(
    members.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ) as Pick<Body, Member & keyof Body>

/**
 * A PUT takes the guest anew. What the interface does not state of a booking (rooms, plan, price, status) stays
 * unless it is named, so that a client unaware of it harms nothing.
 */
export const replacing = (body: BookingInput): BookingChange => ({
  guestEmail: null,
  guestPhone: null,
  notes: null,
  guests: 1,
  ...toldBy(body),
})
