import { Type, type Static } from 'typebox'
import {
  Id,
  Timestamp,
  TimeZone,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
} from '#schema/fields.ts'
import type { ImportedStay } from './imported-stay.ts'

export const conflictReasons = [
  'unlinked_room',
  'unlinked_plan',
  'no_room',
  'impossible_stay',
  'incomplete',
  'not_processed',
  'imported_reservation',
] as const
type ConflictReason = (typeof conflictReasons)[number]
/** Why a booking of a PMS could not be applied. */
export type PmsConflictReason = Exclude<ConflictReason, 'imported_reservation'>
export const conflictStatuses = ['open', 'resolved', 'dismissed'] as const

/** A booking of a PMS that could not be applied, or a reservation of an imported calendar that overlaps bookings. */
export const BookingConflict = Type.Object(
  {
    ...ownedFields,
    channel_target_id: nullable({ ...Id, description: 'The connection to the PMS; null for a calendar.' }),
    calendar_feed_id: nullable({ ...Id, description: 'The imported calendar; null for a PMS.' }),
    external_id: text(
      600,
      'The booking at the PMS, or one of its rooms; of a calendar the days of the reservation (`arrival/departure`).',
    ),
    unit_id: nullable(Id),
    booking_id: nullable({ ...Id, description: 'The booking here, if there is one.' }),
    reason: oneOf(...conflictReasons),
    message: text(1_000, 'What is wrong.'),
    hint: text(1_000, 'What an operator can do about it.'),
    status: oneOf(...conflictStatuses),
    attempts: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      format: 'int32',
      description: 'How often the booking was retried.',
    }),
    booking: Type.Object(
      {},
      {
        description:
          'The booking of the PMS in our format; for a calendar, the days and the number of reservations.',
      },
    ),
    conflicts: Type.Array(Type.Object({}), {
      maxItems: 1_000,
      description: 'The bookings and blocks that occupy the rooms.',
    }),
    unit: nullable(
      Type.Object(
        { id: Id, name: text(255), space_id: Id, space_name: text(255), timezone: TimeZone },
        { description: 'The unit of the stay: that of its room, or the one that a user has moved it to.' },
      ),
    ),
    channel_target: nullable(Type.Object({ id: Id, name: text(255) })),
    calendar_feed: nullable(Type.Object({ id: Id, name: text(255) })),
    dismissal_reason: nullable(text(1_000)),
    closed_by: nullable(Type.Object({}, { description: 'Who closed it: a user, or Vacancy automatically.' })),
    closed_at: nullable(Timestamp),
    ...timestampFields,
  },
  {
    title: 'BookingConflict',
    description:
      'A booking of a PMS that is not mapped or does not fit. It is retried when the PMS changes it, when the room is linked, and when a room becomes free. Or a reservation of an imported calendar for nights that are sold here, which closes when one of the two is moved or cancelled.',
  },
)

const updated_at = Type.Optional({
  ...Timestamp,
  description: 'The `updated_at` of the conflict that was seen: 412 when it has changed since.',
})

export const DismissalInput = Type.Object(
  { reason: text(1_000, 'Why no action is needed.'), updated_at },
  {
    title: 'DismissalInput',
    example: { reason: 'The guest was moved to another property.' },
    additionalProperties: false,
  },
)
export type DismissalInput = Static<typeof DismissalInput>

export const AcceptanceInput = Type.Object(
  { unit_id: { ...Id, description: 'The unit that takes the booking.' }, updated_at },
  {
    title: 'AcceptanceInput',
    example: { unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f' },
    additionalProperties: false,
  },
)
export type AcceptanceInput = Static<typeof AcceptanceInput>

interface ConflictDescription {
  readonly message: string
  readonly hint: string
}

/** Describes a reservation of an imported calendar that overlaps bookings. */
export const describeImportedConflict = ({ arrival, departure }: ImportedStay): ConflictDescription => ({
  message: `the imported calendar has a reservation from ${arrival} to ${departure}, for nights that are sold here.`,
  hint: 'Move or cancel one of the two, and the conflict closes automatically. Dismiss it if both are the same stay.',
})

interface ConflictFacts {
  readonly listing: string | null
  readonly plan: string | null
  readonly fullNights: readonly string[]
  /** A booking that exists here keeps its room until the conflict is resolved. */
  readonly keepsRoom: boolean
}

/** Describes a conflict without naming the guest. */
export function describeConflict(
  reason: PmsConflictReason,
  booking: string,
  facts: ConflictFacts,
): ConflictDescription {
  const room = facts.listing === null ? 'an unnamed room' : `the room ${facts.listing}`
  const plan = facts.plan === null ? 'without a rate plan' : `with the rate plan ${facts.plan}`
  switch (reason) {
    case 'unlinked_room':
      return {
        message: `the booking ${booking} is for ${room}, which is not linked to a unit.`,
        hint: facts.keepsRoom
          ? 'Link the room, and the booking is moved automatically. Until then it keeps its current room here.'
          : 'Link the room, and the booking is applied automatically. Until then it blocks no room here.',
      }
    case 'unlinked_plan':
      return {
        message: `the booking ${booking} was sold ${plan}, which is not linked. The booking is applied and occupies its room.`,
        hint: 'Link the rate plan in rate_plans of the channel listing, or dismiss the conflict.',
      }
    case 'no_room':
      return {
        message: `the booking ${booking} does not fit: no room is free ${formatNights(facts.fullNights)}.`,
        hint: facts.keepsRoom
          ? 'Move or cancel one of the bookings. The booking is moved automatically when a room is free; until then it keeps its current room here.'
          : 'Move or cancel one of the bookings. The booking is applied automatically when a room is free.',
      }
    case 'impossible_stay':
      return {
        message: `the booking ${booking} has no valid dates: the departure must be after the arrival.`,
        hint: 'Correct the booking at the PMS, and it is sent again.',
      }
    case 'incomplete':
      return {
        message: `the booking ${booking} does not say which rooms, or which dates, it is for.`,
        hint: 'Correct the booking at the PMS, or enter it here manually.',
      }
    case 'not_processed':
      return {
        message: `the booking ${booking} could not be processed. The log of the worker has the details.`,
        hint: 'It is retried every few minutes. If it still fails, enter the booking manually and dismiss the conflict.',
      }
  }
}

const maxNightsNamed = 5

function formatNights(nights: readonly string[]): string {
  if (nights.length === 0) return 'for it'
  const more = nights.length - maxNightsNamed
  const named = nights.slice(0, maxNightsNamed).join(', ')
  return more > 0 ? `on ${named} and ${more} more of its nights` : `on ${named}`
}
