import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, timestampFields, text } from '#schema/fields.ts'
import { Booking } from '#features/reservations/bookings/booking.ts'

/** Replaces the name of an erased guest. */
export const erasedName = 'Erased guest'

const subject = {
  email: Type.String({
    minLength: 3,
    maxLength: 254,
    pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$',
    description: 'The e-mail address in the bookings, in any case: all bookings of this guest.',
  }),
  phone: Type.String({
    minLength: 5,
    maxLength: 64,
    pattern: '^[0-9+() ./-]+$',
    description: 'The phone number in the bookings; only its digits are compared.',
  }),
  booking_id: { ...Id, description: 'One booking and the records about it, deleted ones too.' },
}

export const GuestSubject = Type.Object(Type.Partial(Type.Object(subject)).properties, {
  title: 'GuestSubject',
  description: 'Identifies a guest by exactly one of its members.',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  example: { booking_id: '3f0b8a52-6f0e-4d8c-9a53-2d1f6c1e7b90' },
})
export type GuestSubject = Static<typeof GuestSubject>
const subjectKinds = ['email', 'phone', 'booking_id'] as const
export type SubjectKind = (typeof subjectKinds)[number]

export const parseSubject = (given: GuestSubject): { kind: SubjectKind; value: string } => {
  const [[kind, value]] = Object.entries(given) as [[SubjectKind, string]]
  return { kind, value }
}

/** Binds the sealed plan to its row. */
export const planPlace = (orgId: string, erasureId: string) => `${orgId} guest_erasures ${erasureId} plan`

/** A request to erase a guest, and its progress. */
export const GuestErasure = Type.Object(
  {
    id: Id,
    org_id: Id,
    subject: { ...oneOf(...subjectKinds), description: 'What identified the guest, without the value.' },
    status: oneOf('pending', 'running', 'completed'),
    bookings: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        format: 'int32',
        description: 'How many bookings of the guest were found; null before the search.',
      }),
    ),
    erased: Type.Object(
      {},
      { description: 'How many records the guest has been erased from so far, by kind.' },
    ),
    requested_by: Type.Object({ type: oneOf('user', 'service', 'system'), id: text(64), name: text(320) }),
    completed_at: nullable(Timestamp),
    ...timestampFields,
  },
  {
    title: 'GuestErasure',
    description:
      'A job erases name, addresses, phone number and notes from all stored data; nights, rooms and amounts stay. A completed erasure does not identify the guest.',
  },
)

const recordList = (description: string) => Type.Array(Type.Object({}), { maxItems: 1_000, description })

/** All that is stored about a guest. */
export const GuestExport = Type.Object(
  {
    subject: GuestSubject,
    created_at: Timestamp,
    is_complete: Type.Boolean({
      description: 'False when a kind has more records than one response contains.',
    }),
    bookings: Type.Array(Booking, { maxItems: 1_000, description: 'Deleted ones too.' }),
    quotes: recordList('Quotes of these bookings.'),
    payment_intents: recordList('Their payments, with the ids at the provider.'),
    refunds: recordList('Refunds.'),
    notifications: recordList('Notifications to and about the guest, with their data.'),
    events: recordList('Events of the bookings in the last 90 days.'),
    webhook_messages: recordList('Messages of PMSs about them in the last 30 days, as received.'),
    booking_conflicts: recordList('Bookings of a PMS that could not be applied.'),
  },
  { title: 'GuestExport' },
)
