import type { Booking, BookingChange, BookingInput, BookingPatch } from './booking.ts'

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
  'externalId',
] as const
type Member = (typeof members)[number]

/** What a body may repeat of a booking as it is or becomes. Times that the service notes are passed over. */
export const repeatedMembers = [
  'arrival',
  'departure',
  'nights',
  'spaceId',
  'channelTargetId',
  'pms_notes',
  'holdExpiresAt',
  'cancelledAt',
] as const

export const toldBy = <Body extends BookingInput | BookingPatch>(body: Body) =>
  Object.fromEntries(
    members.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ) as Pick<Body, Member & keyof Body>

/** What a PUT decides by leaving it out, as a POST does. Where the booking comes from stays. */
export const putDefaults = ({ source, externalId }: Booking): BookingChange => ({
  guestEmail: null,
  guestPhone: null,
  notes: null,
  guests: 1,
  rooms: 1,
  ratePlanId: null,
  status: 'confirmed',
  source: source === 'pms' ? 'pms' : 'direct',
  cancellationReason: null,
  externalId: source === 'pms' ? externalId : null,
})
