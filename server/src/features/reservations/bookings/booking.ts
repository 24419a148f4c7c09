import { Type, type Static } from 'typebox'
import { Conflict } from '#errors.ts'
import {
  Count,
  Currency,
  Day,
  Id,
  Name,
  Timestamp,
  readOnlyFields,
  nullable,
  oneOf,
  text,
} from '#schema/fields.ts'
import { Amount } from '#features/inventory/pricing/stay-price.ts'

export const bookingStatuses = [
  'pending',
  'confirmed',
  'checked_in',
  'checked_out',
  'cancelled',
  'declined',
  'expired',
  'no_show',
] as const
export const bookingSources = ['direct', 'pms', 'api', 'manual'] as const
export const cancellationReasons = [
  'guest_request',
  'no_payment',
  'overbooking',
  'host',
  'no_show',
  'input_error',
  'other',
] as const

/** Where to look for alternatives: in the city of the space, or in all spaces of the organization. */
export const alternativeAreas = ['city', 'anywhere'] as const
export type AlternativeArea = (typeof alternativeAreas)[number]

export type BookingStatus = (typeof bookingStatuses)[number]

/** The statuses that may follow; a status without an entry is final. */
const nextStatuses: Partial<Record<BookingStatus, readonly BookingStatus[]>> = {
  pending: ['confirmed', 'declined', 'expired', 'cancelled'],
  confirmed: ['checked_in', 'cancelled', 'no_show'],
  checked_in: ['checked_out'],
}

/** A booking in one of these takes its rooms; SQL calls `takes_room(status)`. */
export const roomStatuses: readonly BookingStatus[] = ['pending', 'confirmed', 'checked_in', 'checked_out']
export const takesRooms = (status: BookingStatus): boolean => roomStatuses.includes(status)
/** Whether it ended before its stay: it cannot be paid any more, and payments are refunded by the policy. */
export const endedBeforeStay = (status: BookingStatus): boolean =>
  ['cancelled', 'declined', 'expired'].includes(status)
export const hasEnded = (status: BookingStatus): boolean => nextStatuses[status] === undefined

/** @throws Conflict */
export function assertStatusTransition(from: BookingStatus, to: BookingStatus): void {
  if (from === to || nextStatuses[from]?.includes(to)) return
  const possible = nextStatuses[from]?.join(', ')
  throw new Conflict(
    'invalid-status-transition',
    `A booking cannot go from ${from} to ${to}${possible ? `, only to ${possible}.` : ': it has ended.'}`,
  )
}

export const maxNights = 365
/** A point in time or a day. A day means 15:00 for arrivals and 11:00 for departures, local time of the space. */
export const Moment = Type.String({
  format: 'day-or-time',
  minLength: 10,
  maxLength: 35,
  description: 'A point in time with its zone, or a day: arrival at 15:00, departure at 11:00 of the space.',
  example: '2026-07-01T15:00:00.000Z',
})

const contactNote = 'Null for readers without `guest_contacts:read` or `bookings:write`.'
const guest = {
  guestName: Name,
  guestEmail: nullable(
    Type.String({
      maxLength: 254,
      pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$',
      description: `One deliverable e-mail address; 422 otherwise, unless it is stored already. ${contactNote}`,
      example: 'ada@example.com',
    }),
  ),
  guestPhone: nullable(text(64, contactNote)),
  notes: nullable(text(10_000, `Notes of the users; a PMS never changes them. ${contactNote}`)),
}
const stay = {
  unitId: Id,
  ratePlanId: nullable({ ...Id, description: 'The plan that it is sold by; the default plan of the unit.' }),
  guests: Count(1, 10_000),
  rooms: { ...Count(1, 10_000), description: 'How many of the equal rooms of the unit.' },
}
const deal = {
  totalCents: Amount,
  currency: Currency,
  status: oneOf(...bookingStatuses),
  source: oneOf(...bookingSources),
  cancellationReason: nullable(oneOf(...cancellationReasons)),
  externalId: nullable(
    text(
      255,
      'Its external id: the id of a PMS booking at the PMS, otherwise the id that the caller uses.',
      1,
    ),
  ),
}

/** A stay in a unit. */
export const Booking = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: Id,
    ...stay,
    quoteId: nullable({ ...Id, description: 'The quote whose price it has.' }),
    ...guest,
    // An address from a PMS is stored unchecked.
    guestEmail: nullable(text(254, contactNote)),
    pms_notes: nullable(text(10_000, `Notes of the PMS. Read-only. ${contactNote}`)),
    checkIn: Timestamp,
    checkOut: Timestamp,
    arrival: { ...Day, description: 'The first night, a local date of the space.' },
    departure: { ...Day, description: 'The day after the last night, a local date of the space.' },
    nights: Count(1, 100_000),
    ...deal,
    channelTargetId: nullable({ ...Id, description: 'The channel, when it was made elsewhere.' }),
    holdExpiresAt: nullable({
      ...Timestamp,
      description: 'When a pending booking expires and frees its rooms.',
    }),
    cancelledAt: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    spaceId: Id,
  },
  {
    title: 'Booking',
    description:
      'Nights are local dates of the space, from arrival to the day before departure. pending → confirmed, declined, expired, cancelled; confirmed → checked_in, cancelled, no_show; checked_in → checked_out. A booking occupies rooms while it is pending, confirmed or checked_in; a checked_out one for the nights of the stay.',
  },
)
export type Booking = Static<typeof Booking>

const writableFields = { ...stay, ...guest, ...deal }
const { unitId, guestName, ...rest } = writableFields
const optional = {
  ...Type.Partial(Type.Object(rest)).properties,
  account_id: Type.Optional(Id),
}
const readOnly = readOnlyFields(
  'id',
  'org_id',
  'arrival',
  'departure',
  'nights',
  'channelTargetId',
  'pms_notes',
  'holdExpiresAt',
  'cancelledAt',
  'createdAt',
  'updatedAt',
  'spaceId',
)
const quoteId = Type.Optional(
  nullable({
    ...Id,
    description: 'Uses the price of the quote, and converts its hold into the booking.',
  }),
)

export const BookingInput = Type.Object(
  { unitId, guestName, checkIn: Moment, checkOut: Moment, quoteId, ...optional, ...readOnly },
  {
    title: 'BookingInput',
    additionalProperties: false,
    description:
      'Members may be named in snake_case. Without totalCents the price is calculated from the calendar.',
    example: {
      unitId: '3f0b8a52-6f0e-4d8c-9a53-2d1f6c1e7b90',
      guestName: 'Ada Lovelace',
      checkIn: '2030-07-01',
      checkOut: '2030-07-04',
    },
  },
)
export const BookingPatch = Type.Object(
  {
    unitId: Type.Optional(unitId),
    guestName: Type.Optional(guestName),
    checkIn: Type.Optional(Moment),
    checkOut: Type.Optional(Moment),
    quoteId,
    ...optional,
    ...readOnly,
  },
  {
    title: 'BookingPatch',
    additionalProperties: false,
    description: 'The price stays unchanged without totalCents.',
    example: { notes: 'Arrives late.' },
  },
)
export type BookingInput = Static<typeof BookingInput>
export type BookingPatch = Static<typeof BookingPatch>

/** A change of a stored booking; absent members stay. */
export type BookingChange = Partial<
  Pick<Booking, keyof typeof writableFields | 'quoteId' | 'checkIn' | 'checkOut' | 'account_id'>
>

export interface BookingOptions {
  /** Where to look for alternatives when the stay does not fit. */
  readonly alternativesWithin?: AlternativeArea | undefined
  /** Whether the arrival may be before today, for imports from another system. */
  readonly mayBePast?: boolean
  /** The body of the request: its read-only members must equal the stored booking. */
  readonly readOnlyInput?: Readonly<Record<string, unknown>>
}

/**
 * A booking to create. With `holdExpiresAt` it is a hold, with `quoteId` the hold of that quote; null keeps a pending one
 * until somebody decides.
 */
export type NewBooking = Pick<BookingInput, 'unitId' | 'guestName' | 'checkIn' | 'checkOut'> &
  Partial<Pick<Booking, keyof typeof rest | 'quoteId'>> & {
    account_id?: string
    holdExpiresAt?: string | null
  }

/** Hidden from readers without `guest_contacts:read` or `bookings:write`. */
const contactMembers = ['guestEmail', 'guestPhone', 'notes', 'pms_notes']

/** The JSON of a booking with the contacts and notes set to null. */
export function redactContacts(booking: string): string {
  const record = JSON.parse(booking) as Record<string, unknown>
  for (const member of contactMembers) if (member in record) record[member] = null
  return JSON.stringify(record)
}
