import type { Fault } from './fault.ts'

const feeds = 'server/src/features/distribution/calendar-feeds/'

/** Imported calendars that block the wrong nights, or free nights that are sold. */
export const calendarFaults: readonly Fault[] = [
  {
    name: 'booked-unit-deleted',
    means: 'A unit with coming guests is deleted: they arrive, and nothing says where they sleep.',
    code: [
      {
        file: 'server/src/features/inventory/unit-deletion/delete-units.ts',
        function: 'assertNotInUse',
        ...{ condition: 'booking_count', becomes: 'listing_count === 0' },
      },
    ],
    caughtBy: ['server/src/features/inventory/units/units-deleted.test.ts'],
  },
  {
    name: 'invalid-date-moved',
    means: 'An exception on 30 February frees 2 March.',
    code: [
      { file: `${feeds}calendar-events.ts`, function: 'existingValues', call: 'every', becomes: 'true' },
    ],
    caughtBy: [`${feeds}recurrence.test.ts`],
  },
  {
    name: 'set-position-from-the-end',
    means: 'A fifth Monday from the end is found in a month of four.',
    code: [
      {
        ...{ file: `${feeds}recurrence.ts`, function: 'atPositions', call: 'at', argument: 0 },
        becomes: 'position > 0 ? position - 1 : Math.max(position, -period.length)',
      },
    ],
    caughtBy: [`${feeds}recurrence.test.ts`],
  },
  {
    name: 'empty-calendar-opens-nights',
    means: 'A calendar that is suddenly empty frees its nights at once.',
    code: [
      {
        ...{ file: `${feeds}held-removal.ts`, function: 'evaluateRemoval' },
        ...{ condition: 'is_replaced', becomes: '!state.held' },
      },
    ],
    caughtBy: [`${feeds}held-removals.test.ts`],
  },
  {
    name: 'imports-without-bound',
    means: 'All calendars are fetched and parsed at once, whatever memory that takes.',
    code: [
      { file: `${feeds}import-capacity.ts`, function: 'admit', condition: 'capacity', becomes: 'waiter' },
    ],
    caughtBy: [`${feeds}import-capacity.test.ts`],
  },
  {
    name: 'imported-overlap-silent',
    means: 'A reservation in an imported calendar for a sold night raises no conflict.',
    code: [
      {
        file: 'server/src/features/distribution/pms-bookings/imported-conflict-queries.ts',
        function: 'findOversoldNights',
        ...{ sqlCondition: 'unit.quantity', becomes: 'taken.booked > unit.quantity' },
      },
    ],
    caughtBy: [`${feeds}imported-conflicts.test.ts`],
  },
]
