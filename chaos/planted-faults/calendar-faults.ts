import type { Fault } from './fault.ts'

/** Calendars of others that block nights they do not mean, or free nights they do not know. */
export const calendarFaults: readonly Fault[] = [
  {
    name: 'booked-unit-deleted',
    means:
      'A unit is deleted with guests to come: they arrive, and nothing here knows where they were to sleep.',
    file: 'server/src/features/inventory/unit-deletion/delete-units.ts',
    edits: [['if (listing_count + booking_count === 0) return', 'if (listing_count === 0) return']],
    caughtBy: [
      {
        file: 'server/src/features/inventory/units/units-deleted.test.ts',
        test: 'is rejected with current and future bookings and listings',
      },
    ],
  },
  {
    name: 'invalid-date-moved',
    means: 'An exception on 30 February frees 2 March.',
    file: 'server/src/features/distribution/calendar-feeds/calendar-events.ts',
    edits: [['written[at]!].flat().every(exists))', 'written[at]!].flat().every(exists) || true)']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/calendar-feeds/recurrence.test.ts',
        test: 'recurrence rules: dates that do not exist',
      },
    ],
  },
  {
    name: 'set-position-from-the-end',
    means: 'A fifth Monday from the end is found in a month of four.',
    file: 'server/src/features/distribution/calendar-feeds/recurrence.ts',
    edits: [
      [
        'position > 0 ? position - 1 : position)',
        'position > 0 ? position - 1 : Math.max(position, -period.length))',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/calendar-feeds/recurrence.test.ts',
        test: 'recurrence rules: dates that do not exist',
      },
    ],
  },
  {
    name: 'empty-calendar-opens-nights',
    means: 'A calendar that is suddenly empty makes its nights free at once.',
    file: 'server/src/features/distribution/calendar-feeds/held-removal.ts',
    edits: [['  if (state.is_replaced) return accepted', '  if (!state.held) return accepted']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/calendar-feeds/held-removals.test.ts',
        test: 'keeps all nights of a suddenly empty calendar blocked, with an alert and an e-mail',
      },
    ],
  },
  {
    name: 'imports-without-bound',
    means: 'All calendars are fetched and read at once, whatever memory that takes.',
    file: 'server/src/features/distribution/calendar-feeds/import-capacity.ts',
    edits: [['waiter && used + waiter.weight <= capacity', 'waiter']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/calendar-feeds/import-capacity.test.ts',
        test: 'never exceeds the capacity',
      },
    ],
  },
  {
    name: 'imported-overlap-silent',
    means: 'A reservation of an imported calendar for a sold night is only a block.',
    file: 'server/src/features/distribution/pms-bookings/imported-conflict-queries.ts',
    edits: [['taken.booked + taken.blocked > unit.quantity', 'taken.booked > unit.quantity']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/calendar-feeds/imported-conflicts.test.ts',
        test: 'records a conflict for sold nights, with an alert and an e-mail',
      },
    ],
  },
]
