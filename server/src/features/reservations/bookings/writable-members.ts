import type { Booking, BookingChange, BookingInput, BookingPatch } from './booking.ts'

/** The members that a client may write. */
const writableMembers = [
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
type WritableMember = (typeof writableMembers)[number]

/** Read-only members that a body may repeat if they equal the booking; `createdAt` and `updatedAt` are ignored. */
export const readOnlyMembers = [
  'arrival',
  'departure',
  'nights',
  'spaceId',
  'channelTargetId',
  'pms_notes',
  'holdExpiresAt',
  'cancelledAt',
] as const

export const pickWritable = <Body extends BookingInput | BookingPatch>(body: Body) =>
  Object.fromEntries(
    writableMembers.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ) as Pick<Body, WritableMember & keyof Body>

/** The values of members that a PUT leaves out, as for a POST. The origin at a PMS stays. */
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
