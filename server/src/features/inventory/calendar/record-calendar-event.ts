import { Type } from 'typebox'
import type { Transaction } from '#db/scope.ts'
import { Day, Id, nullable, text } from '#schema/fields.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'

/** The nights whose values were changed. */
export const CalendarUpdate = Type.Object(
  {
    calendar_change_id: nullable({
      ...Id,
      description:
        'The change of an operator, whose values before and after can be read; null for an import.',
    }),
    unit_ids: Type.Array(Id, { maxItems: 2_000 }),
    date_from: Day,
    date_to: { ...Day, description: 'The last night, included.' },
    members: Type.Array(text(64), {
      maxItems: 20,
      description: 'What was decided: `price_cents`, `blocked`, …',
    }),
  },
  { title: 'CalendarUpdate' },
)

const type = 'calendar.updated'

interface Update {
  readonly calendar_change_id: string | null
  readonly unit_ids: readonly string[]
  readonly date_from: string
  readonly date_to: string
  readonly members: readonly string[]
}

/** Records the event, and notifies the streams, that the calendar of these units has changed. */
export const recordCalendarEvent = (
  transaction: Transaction,
  accountId: string | null,
  calendar: Update,
): Promise<void> =>
  recordEvents(transaction, [{ type, accountId, subjectId: calendar.calendar_change_id, data: { calendar } }])
