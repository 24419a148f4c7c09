import type { Fault } from './fault.ts'

const feeds = 'server/src/features/calendar-feeds'

/** Calendars of others that block nights they do not mean, or free nights they do not know. */
export const calendarFaults: readonly Fault[] = [
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
]
