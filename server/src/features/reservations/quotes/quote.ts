import { Type, type Static } from 'typebox'
import { semanticError } from '#errors.ts'
import { Count, Currency, Day, Id, Name, Timestamp, nullable, ownedFields } from '#schema/fields.ts'
import { nightOf } from '#schema/nights.ts'
import { priceMembers } from '#features/inventory/pricing/stay-price.ts'

const maxNights = 365
const Many = Count(1, 10_000)

/** The price of a stay with its line items. It never changes. */
export const Quote = Type.Object(
  {
    ...ownedFields,
    unit_id: Id,
    rate_plan_id: nullable({ ...Id, description: 'Null when the plan was deleted.' }),
    check_in: Day,
    check_out: Day,
    nights: Count(1, maxNights),
    guests: Many,
    rooms: Many,
    currency: Currency,
    ...priceMembers,
    available: Type.Boolean({ description: 'Always true: a stay that cannot be sold gets no quote.' }),
    booking_id: nullable({ ...Id, description: 'The booking with this price.' }),
    hold: nullable(
      Type.Object(
        { booking_id: Id, expires_at: Timestamp },
        { description: 'The pending booking that keeps the rooms free.' },
      ),
    ),
    expires_at: {
      ...Timestamp,
      description: 'A booking with the id of the quote gets its price until then.',
    },
    created_at: Timestamp,
  },
  { title: 'Quote' },
)

export const QuoteInput = Type.Object(
  {
    unit_id: Id,
    check_in: { ...Day, description: 'The first night, a local date of the unit.' },
    check_out: { ...Day, description: 'The day of the departure, whose night is not booked.' },
    guests: Many,
    rate_plan_id: Type.Optional(nullable({ ...Id, description: 'By default the default plan of the unit.' })),
    rooms: Type.Optional({ ...Many, description: 'Equal rooms of the unit (1).' }),
    hold: Type.Optional(Type.Boolean({ description: 'Whether the rooms are held until the quote expires.' })),
    guest_name: Type.Optional({ ...Name, description: 'The guest that the rooms are held for.' }),
  },
  {
    title: 'QuoteInput',
    additionalProperties: false,
    example: {
      unit_id: '3f0b8a52-6f0e-4d8c-9a53-2d1f6c1e7b90',
      check_in: '2030-07-01',
      check_out: '2030-07-04',
      guests: 1,
    },
  },
)
export type QuoteInput = Static<typeof QuoteInput>

/** @throws Invalid */
export function assertValidDates({ check_in, check_out }: QuoteInput): void {
  const nights = nightOf(check_out) - nightOf(check_in)
  if (nights < 1) throw semanticError('check_out', 'check_out must be after check_in.')
  if (nights > maxNights) throw semanticError('check_out', `A stay has at most ${maxNights} nights.`)
}
