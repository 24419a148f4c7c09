import type { Fault } from './fault.ts'

/** Rooms that are sold twice, or not at all. */
export const bookingFaults: readonly Fault[] = [
  {
    name: 'booking-lock-removed',
    means:
      'Two guests ask for the last room at the same moment; who loses is told too late, and not by whom.',
    file: 'server/src/features/reservations/bookings/stay-queries.ts',
    edits: [
      [
        'and id = any(${ids}::uuid[]) order by id for no key update`',
        'and id = any(${ids}::uuid[]) order by id`',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/booking-races.test.ts',
        test: 'of fifty for one night',
      },
    ],
  },
  {
    name: 'booking-guard-removed',
    means: 'Whatever writes past the front door, a repair or an import, sells a room twice.',
    file: 'server/migrations/0013-rooms.sql',
    edits: [['where taken.booked + taken.blocked > room_count and not taken.night <@ held', 'where false']],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/bookings.test.ts',
        test: 'the database refuses what gets past the door',
      },
    ],
  },
  {
    name: 'past-arrivals-booked',
    means: 'A typing error in the year makes a booking of 2016, and the guest who comes in 2026 has no room.',
    file: 'server/src/features/reservations/bookings/stay.ts',
    edits: [['if (arrival < today && !mayBePast)', 'if (false)']],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/stay-dates.test.ts',
        test: 'are refused when a booking moves',
      },
    ],
  },
  {
    name: 'late-confirmations-kept-back',
    means: 'Who was quoted before midnight, and books after it, is never sent a confirmation.',
    file: 'server/src/features/messaging/notifications/event-notification.ts',
    edits: [['if (quoteId !== null && !isMoved) return false', '']],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/stay-dates.test.ts',
        test: 'quoted before midnight',
      },
    ],
  },
  {
    name: 'past-stays-announced',
    means: 'Bringing over the bookings of another system writes to every guest of the last ten years.',
    file: 'server/src/features/messaging/notifications/event-notification.ts',
    edits: [["source !== 'pms' && arrival <=", 'false && arrival <=']],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/stay-dates.test.ts',
        test: 'may be past, are pushed to no PMS',
      },
    ],
  },
  {
    name: 'inclusive-departure',
    means:
      'The night of the departure counts as taken: guests who come on the day another leaves are sent away.',
    file: 'server/src/features/reservations/bookings/stay-queries.ts',
    edits: [['d.arrival, d.departure - 1) n,', 'd.arrival, d.departure) n,']],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/bookings.test.ts',
        test: 'who is refused learns who has the rooms, and where there is room',
      },
    ],
  },
  {
    name: 'old-revision-applied',
    means: 'A message that was late brings a cancelled booking back to life, and its room is gone.',
    file: 'server/src/features/reservations/bookings/apply-booking.ts',
    edits: [['if (known && isStale(known, external)) return', 'if (known && false) return']],
    caughtBy: [
      {
        file: 'server/src/features/reservations/bookings/external-bookings.test.ts',
        test: 'a cancellation that comes first is not undone by the older booking',
      },
    ],
  },
  {
    name: 'zero-price-not-meant',
    means: 'A form that sends 0 for an empty field sells every night for nothing.',
    file: 'server/src/features/inventory/units/unit.ts',
    edits: [['if (price === 0 && isFree !== true)', 'if (false)']],
    caughtBy: [
      {
        file: 'server/src/features/inventory/units/units-prices.test.ts',
        test: 'is 0 only with free_of_charge: true',
      },
    ],
  },
  {
    name: 'moved-booking-exchanged',
    means: 'The PMS moves a guest to another room type, and partners see a cancellation and a stranger.',
    file: 'server/src/features/distribution/pms-bookings/match-lines.ts',
    edits: [['for (const key of matchKeys) match(', 'for (const key of matchKeys.slice(0, 2)) match(']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-bookings/moved-rooms.test.ts',
        test: 'keeps its id, presence, notes and history, and sends an update event',
      },
    ],
  },
  {
    name: 'minimum-price-not-asked',
    means: 'A discount takes a night below what the operator sells it for.',
    file: 'server/src/features/inventory/pricing/stay.ts',
    edits: [['if (minimum === null) return []', 'if (minimum !== undefined) return []']],
    caughtBy: [
      {
        file: 'server/src/features/inventory/pricing/minimum-price.test.ts',
        test: 'applies to each night: an expensive night does not compensate a cheap one',
      },
    ],
  },
  {
    name: 'rooms-do-not-change-places',
    means: 'Two rooms of a reservation swap over there; here both are conflicts that nobody can solve.',
    file: 'server/src/features/distribution/pms-bookings/place-lines.ts',
    edits: [['if (targetId === undefined || waiting.length < 2)', 'if (targetId !== null)']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-bookings/moved-rooms.test.ts',
        test: 'swaps two rooms when both types are full',
      },
    ],
  },
  {
    name: 'own-words-overwritten',
    means: 'The desk corrects an address, the PMS tells the old one again, and the letter goes nowhere.',
    file: 'server/src/features/reservations/bookings/merge-guest.ts',
    edits: [['storedGuest && text === previous ? stored : text', 'text']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-bookings/local-changes-kept.test.ts',
        test: 'keeps a local change of the guest until the PMS changes the same field',
      },
    ],
  },
  {
    name: 'microseconds-cut',
    means: 'Two changes in one millisecond: the older one comes last, and stays.',
    file: 'server/src/integrations/pms/pms-notice.ts',
    edits: [['return fraction === undefined ? time', 'return fraction !== null ? time']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-bookings/revision-order.test.ts',
        test: 'of channex: keeps the newer one, in either order',
      },
    ],
  },
  {
    name: 'if-match-ignored',
    means: 'Two people edit the same record, and the second wipes out what the first has written.',
    file: 'server/src/db/records.ts',
    edits: [
      [
        'if (!versions.includes(String(version))) throw new PreconditionFailed()',
        'if (versions.length === 0) throw new PreconditionFailed()',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/http/preconditions.test.ts',
        test: 'of many that change what they all read, one succeeds and loses nothing',
      },
    ],
  },
  {
    name: 'idempotency-key-ignored',
    means: 'A client whose connection broke asks again, and the guest has two bookings.',
    file: 'server/src/http/idempotency.ts',
    edits: [['return key === null', "return key !== ''"]],
    caughtBy: [
      {
        file: 'server/src/http/idempotency.test.ts',
        test: 'every POST has one effect and returns the same response to a repeated request',
      },
      {
        file: 'server/src/features/reservations/bookings/bookings.test.ts',
        test: 'is repeated under one Idempotency-Key without a second room',
      },
    ],
  },
  {
    name: 'commit-not-awaited',
    means: 'The API says 201, the database says no, and the booking never was.',
    file: 'server/src/db/connect.ts',
    edits: [
      [
        "const [, { command }] = await Promise.all([written, client.query('commit')])",
        "void Promise.all([written, client.query('commit')]).catch(() => {})",
      ],
      [
        "if (command !== 'COMMIT') throw new Error('The transaction was rolled back by the database.')\n",
        '\n',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/db/transactions.test.ts',
        test: 'succeeds only when the database confirms the commit',
      },
    ],
  },
  {
    name: 'commit-before-its-last-statements',
    means: 'A booking is there, and neither its history nor the job that tells the PMS.',
    file: 'server/src/db/connect.ts',
    edits: [
      ['const written = flush()', "const ended = client.query('commit')\n          const written = flush()"],
      ["Promise.all([written, client.query('commit')])", 'Promise.all([written, ended])'],
    ],
    caughtBy: [
      {
        file: 'server/src/db/transactions.test.ts',
        test: 'rolls back when a deferred write fails, reports its error, and keeps the connection usable',
      },
    ],
  },
  {
    name: 'job-outside-its-transaction',
    means:
      'A job runs for a change that was taken back, or a change has no job and the PMS never hears of it.',
    file: 'server/src/queue/job.ts',
    edits: [
      [
        'transaction.connection.deferToCommit(insertJobs(',
        'await transaction.database.pipelined({ orgId }, [insertJobs(',
      ],
      ['notifyingQueues.has(queue)))', 'notifyingQueues.has(queue))])'],
    ],
    caughtBy: [
      {
        file: 'server/src/queue/enqueue.test.ts',
        test: 'exists once its transaction has committed, and not before',
      },
    ],
  },
]
