import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, owned, stamped, text } from '#fields.ts'
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
export type ConflictReason = (typeof conflictReasons)[number]
/** What can be wrong with a booking of a PMS. */
export type PmsConflictReason = Exclude<ConflictReason, 'imported_reservation'>
export const conflictStatuses = ['open', 'resolved', 'dismissed'] as const

/** A booking of the PMS that found no place here, or a reservation of an imported calendar that overlaps bookings. */
export const BookingConflict = Type.Object(
  {
    ...owned,
    channel_target_id: nullable({ ...Id, description: 'The connection to the PMS; null for a calendar.' }),
    calendar_feed_id: nullable({ ...Id, description: 'The imported calendar; null for a PMS.' }),
    external_id: text(
      600,
      'The booking at the PMS, or one of its rooms; of a calendar the days of the reservation (`arrival/departure`).',
    ),
    unit_id: nullable(Id),
    booking_id: nullable({ ...Id, description: 'The booking here, when there is one all the same.' }),
    reason: oneOf(...conflictReasons),
    message: text(1_000, 'What is wrong.'),
    hint: text(1_000, 'What an operator can do about it.'),
    status: oneOf(...conflictStatuses),
    attempts: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      format: 'int32',
      description: 'How often it was tried to apply it.',
    }),
    booking: Type.Object(
      {},
      {
        description:
          'The whole booking as the PMS told it, in our words; of a calendar the days and the number of reservations.',
      },
    ),
    conflicts: Type.Array(Type.Object({}), {
      maxItems: 1_000,
      description: 'The bookings and blocks that have the rooms.',
    }),
    dismissal_reason: nullable(text(1_000)),
    closed_by: nullable(Type.Object({}, { description: 'Who closed it: a person, or Vacancy itself.' })),
    closed_at: nullable(Timestamp),
    ...stamped,
  },
  {
    title: 'BookingConflict',
    description:
      'A booking that a PMS has sold and that is not mapped or does not fit. It is tried again when the PMS changes it, when the room is linked, and when room is made. Or a reservation of an imported calendar for nights that are sold here: it closes when one of the two moves or is cancelled.',
  },
)

export const DismissalInput = Type.Object(
  { reason: text(1_000, 'Why nothing is to be done.') },
  {
    title: 'DismissalInput',
    example: { reason: 'The guest was moved to another house.' },
    additionalProperties: false,
  },
)
export type DismissalInput = Static<typeof DismissalInput>

interface Words {
  readonly message: string
  readonly hint: string
}

/** The same for a reservation of an imported calendar. */
export const wordsForImport = ({ arrival, departure }: ImportedStay): Words => ({
  message: `the imported calendar has a reservation from ${arrival} to ${departure}, for nights that are sold here.`,
  hint: 'Move or cancel one of the two: the conflict then closes by itself. Dismiss it if both are the same stay.',
})

interface ConflictFacts {
  readonly listing: string | null
  readonly plan: string | null
  readonly fullNights: readonly string[]
  /** A booking that was here before stays in its room until the conflict is solved. */
  readonly keepsRoom: boolean
}

/** What is told of a conflict; no guest is named. */
export function wordsFor(reason: PmsConflictReason, booking: string, said: ConflictFacts): Words {
  const room = said.listing === null ? 'a room that it does not name' : `the room ${said.listing}`
  const plan = said.plan === null ? 'without saying by which rate plan' : `by the rate plan ${said.plan}`
  switch (reason) {
    case 'unlinked_room':
      return {
        message: `the booking ${booking} is for ${room}, which is not linked to a unit.`,
        hint: said.keepsRoom
          ? 'Link the room: the booking is then moved by itself. Until then it keeps the room that it has here.'
          : 'Link the room: the booking is then applied by itself. Until then nothing here is closed for it.',
      }
    case 'unlinked_plan':
      return {
        message: `the booking ${booking} was sold ${plan}, which is not linked. Its room is taken all the same.`,
        hint: 'Link the rate plan in rate_plans of the channel listing, or dismiss the conflict.',
      }
    case 'no_room':
      return {
        message: `the booking ${booking} does not fit: no room is free ${nightsIn(said.fullNights)}.`,
        hint: said.keepsRoom
          ? 'Move or cancel one of the bookings. As soon as there is room, it is moved by itself; until then it keeps the room that it has here.'
          : 'Move or cancel one of the bookings. As soon as there is room, it is applied by itself.',
      }
    case 'impossible_stay':
      return {
        message: `the booking ${booking} has dates that are no stay.`,
        hint: 'Correct the booking at the PMS, and it comes again.',
      }
    case 'incomplete':
      return {
        message: `the booking ${booking} does not say which rooms, or which dates, it is for.`,
        hint: 'Look at the booking at the PMS, and correct it there, or enter it here by hand.',
      }
    case 'not_processed':
      return {
        message: `the booking ${booking} could not be processed. Why is in the log of the worker.`,
        hint: 'It is tried again every few minutes. If it stays, enter it by hand and dismiss the conflict.',
      }
  }
}

const maxNightsNamed = 5

function nightsIn(nights: readonly string[]): string {
  if (nights.length === 0) return 'for it'
  const more = nights.length - maxNightsNamed
  const named = nights.slice(0, maxNightsNamed).join(', ')
  return more > 0 ? `on ${named} and ${more} more of its nights` : `on ${named}`
}
