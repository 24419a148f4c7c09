import type { Fault } from './fault.ts'

const bookings = 'server/src/features/reservations/bookings/'
const pmsBookings = 'server/src/features/distribution/pms-bookings/'
const importedStay = 'server/src/features/messaging/notifications/imported-stay.ts'
const connect = 'server/src/db/connect.ts'

/** Rooms that are sold twice, or not at all. */
export const bookingFaults: readonly Fault[] = [
  {
    name: 'booking-lock-removed',
    means: 'Of two guests who book the last room at the same moment, one gets an error that names no reason.',
    code: [{ file: `${bookings}stay-queries.ts`, function: 'lockUnits', sqlLock: true, becomes: '' }],
    caughtBy: [`${bookings}booking-races.test.ts`],
  },
  {
    name: 'booking-guard-removed',
    means: 'A statement that does not go through the use case, such as a repair, sells a room twice.',
    sql: 'drop trigger bookings_fit_rooms on bookings; drop trigger bookings_still_fit_rooms on bookings;',
    caughtBy: [`${bookings}bookings.test.ts`],
  },
  {
    name: 'past-arrivals-booked',
    means:
      'A typing error in the year makes a booking of 2016, and the guest who arrives in 2026 has no room.',
    code: [
      {
        file: `${bookings}stay.ts`,
        function: 'assertArrivalInReach',
        condition: 'mayBePast',
        becomes: 'false',
      },
    ],
    caughtBy: [`${bookings}stay-dates.test.ts`],
  },
  {
    name: 'late-confirmations-not-sent',
    means: 'A guest who got a quote before midnight and books after it gets no confirmation.',
    code: [{ file: importedStay, function: 'wasImported', condition: 'quoteId', becomes: 'false' }],
    caughtBy: [`${bookings}stay-dates.test.ts`],
  },
  {
    name: 'past-stays-announced',
    means: 'An import of bookings from another system writes to every guest of the last ten years.',
    code: [{ file: importedStay, function: 'wasImported', whole: true, becomes: 'false' }],
    caughtBy: [`${bookings}stay-dates.test.ts`],
  },
  {
    name: 'inclusive-departure',
    means: 'The night of the departure counts as taken: guests who arrive on that day are refused.',
    code: [
      {
        ...{ file: `${bookings}stay-queries.ts`, function: 'loadStayFacts' },
        ...{ sqlCall: 'nights_taken', argument: 3, becomes: 'd.departure' },
      },
    ],
    caughtBy: [`${bookings}bookings.test.ts`],
  },
  {
    name: 'old-revision-applied',
    means: 'A late message restores a cancelled booking, and its room is taken.',
    code: [
      {
        ...{ file: `${bookings}apply-booking.ts`, function: 'applyExternalBooking' },
        ...{ call: 'isStale', becomes: 'false' },
      },
    ],
    caughtBy: [`${bookings}external-bookings.test.ts`],
  },
  {
    name: 'free-price-not-confirmed',
    means: 'A form that sends 0 for an empty field sells every night for nothing.',
    code: [
      {
        ...{ file: 'server/src/features/inventory/units/unit.ts', function: 'assertFreeIsConfirmed' },
        ...{ whole: true, becomes: 'undefined' },
      },
    ],
    caughtBy: ['server/src/features/inventory/units/units-prices.test.ts'],
  },
  {
    name: 'moved-booking-replaced',
    means: 'The PMS moves a guest to another room type, and partners see a cancellation and a new booking.',
    code: [
      {
        ...{ file: `${pmsBookings}match-lines.ts`, function: 'matchLines' },
        ...{ reference: 'matchKeys', becomes: 'matchKeys.slice(0, 2)' },
      },
    ],
    caughtBy: [`${pmsBookings}moved-rooms.test.ts`],
  },
  {
    name: 'minimum-price-ignored',
    means: 'A discount sells a night below the minimum price of the operator.',
    code: [
      {
        ...{ file: 'server/src/features/inventory/pricing/stay.ts', function: 'nightsBelowMinimum' },
        ...{ whole: true, becomes: '[]' },
      },
    ],
    caughtBy: ['server/src/features/inventory/pricing/minimum-price.test.ts'],
  },
  {
    name: 'rooms-not-swapped',
    means:
      'Two rooms of a reservation are swapped in the PMS; here both are conflicts that nobody can solve.',
    code: [{ file: `${pmsBookings}place-lines.ts`, function: 'placeTogether', whole: true, becomes: '[]' }],
    caughtBy: [`${pmsBookings}moved-rooms.test.ts`],
  },
  {
    name: 'local-changes-overwritten',
    means: 'A corrected e-mail address is overwritten by the PMS, and mail to the guest is lost.',
    code: [
      {
        ...{ file: `${bookings}merge-guest.ts`, function: 'mergeMember' },
        ...{ comparison: 'text', becomes: 'false' },
      },
    ],
    caughtBy: [`${pmsBookings}local-changes-kept.test.ts`],
  },
  {
    name: 'microseconds-cut',
    means: 'Of two changes within a millisecond, the older one is applied last.',
    code: [
      {
        ...{ file: 'server/src/integrations/pms/pms-notice.ts', function: 'parseTime' },
        ...{ comparison: 'fraction', becomes: 'true' },
      },
    ],
    caughtBy: [`${pmsBookings}revision-order.test.ts`],
  },
  {
    name: 'if-match-ignored',
    means: 'Two people edit the same record, and the second overwrites the change of the first.',
    code: [
      { file: 'server/src/db/records.ts', function: 'assertVersion', call: 'includes', becomes: 'true' },
    ],
    caughtBy: ['server/src/http/preconditions.test.ts'],
  },
  {
    name: 'idempotency-key-ignored',
    means: 'A client whose connection broke sends its request again, and the guest has two bookings.',
    code: [
      {
        ...{ file: 'server/src/http/idempotency.ts', function: 'runIdempotently' },
        ...{ comparison: 'key', becomes: 'true' },
      },
    ],
    caughtBy: ['server/src/http/idempotency.test.ts', `${bookings}bookings.test.ts`],
  },
  {
    name: 'commit-not-awaited',
    means: 'The API returns 201, the database rolls back, and the booking does not exist.',
    code: [
      {
        ...{ file: connect, function: 'transaction', variable: 'committed' },
        becomes: `{ command: 'COMMIT' }`,
      },
      {
        ...{ file: connect, function: 'transaction', variable: 'results' },
        becomes: `(sendBatch(client, [...written, commit]).catch(() => {}), written.map(() => ({ rows: [] })))`,
      },
    ],
    caughtBy: ['server/src/db/transactions.test.ts'],
  },
  {
    name: 'commit-before-the-deferred-statements',
    means: 'A booking exists without its history and without the job that updates the PMS.',
    code: [
      {
        ...{ file: connect, function: 'transaction', variable: 'written' },
        becomes: `(await sendBatch(client, [commit]), sent.map(({ statement }) => bind(statement)))`,
      },
    ],
    caughtBy: ['server/src/db/transactions.test.ts'],
  },
  {
    name: 'job-outside-its-transaction',
    means: 'A job runs for a change that was rolled back, or a change has no job and the PMS is not updated.',
    code: [
      {
        ...{ file: 'server/src/queue/job.ts', function: 'enqueue', call: 'deferToCommit' },
        becomes: ({ args: [statement] }) => `await transaction.database.pipelined({ orgId }, [${statement}])`,
      },
    ],
    caughtBy: ['server/src/queue/enqueue.test.ts'],
  },
]
