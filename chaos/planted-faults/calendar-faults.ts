import type { Fault } from './fault.ts'

const feeds = 'server/src/features/calendar-feeds'

/** Calendars of others that block nights they do not mean, or free nights they do not know. */
export const calendarFaults: readonly Fault[] = [
  {
    name: 'booked-unit-deleted',
    means:
      'A unit is deleted with guests to come: they arrive, and nothing here knows where they were to sleep.',
    file: 'server/src/features/unit-removal/queries.ts',
    edits: [['if (listing_count + booking_count === 0) return', 'if (listing_count === 0) return']],
    caughtBy: [
      {
        file: 'server/src/features/units/units-deleted.test.ts',
        test: 'the guests who are there and those to come hold it',
      },
    ],
  },
  {
    name: 'invalid-date-moved',
    means: 'An exception on 30 February frees 2 March.',
    file: `${feeds}/calendar-events.ts`,
    edits: [['written[at]!].flat().every(exists))', 'written[at]!].flat().every(exists) || true)']],
    caughtBy: [{ file: `${feeds}/recurrence.test.ts`, test: 'recurrence rules: dates that do not exist' }],
  },
  {
    name: 'set-position-from-the-end',
    means: 'A fifth Monday from the end is found in a month of four.',
    file: `${feeds}/recurrence.ts`,
    edits: [
      [
        'position > 0 ? position - 1 : position)',
        'position > 0 ? position - 1 : Math.max(position, -period.length))',
      ],
    ],
    caughtBy: [{ file: `${feeds}/recurrence.test.ts`, test: 'recurrence rules: dates that do not exist' }],
  },
  {
    name: 'empty-calendar-opens-nights',
    means: 'A calendar that is suddenly empty makes its nights free at once.',
    file: `${feeds}/held-removal.ts`,
    edits: [['  if (state.is_replaced) return accepted', '  if (!state.held) return accepted']],
    caughtBy: [
      {
        file: `${feeds}/held-removals.test.ts`,
        test: 'a calendar that is suddenly empty opens no night, and raises an alert and a mail',
      },
    ],
  },
  {
    name: 'imports-without-bound',
    means: 'All calendars are fetched and read at once, whatever memory that takes.',
    file: `${feeds}/import-places.ts`,
    edits: [['waiter && used + waiter.weight <= capacity', 'waiter']],
    caughtBy: [
      {
        file: `${feeds}/import-places.test.ts`,
        test: 'is never more than the capacity, whatever they weigh',
      },
    ],
  },
  {
    name: 'imported-overlap-silent',
    means: 'A reservation of an imported calendar for a sold night is only a block.',
    file: 'server/src/features/pms-bookings/imported-stay-queries.ts',
    edits: [['taken.booked + taken.blocked > unit.quantity', 'taken.booked > unit.quantity']],
    caughtBy: [
      {
        file: `${feeds}/imported-conflicts.test.ts`,
        test: 'one for nights that are sold is a conflict with an alert and a mail',
      },
    ],
  },
]
