import type { Fault } from './fault.ts'

const bookings = 'server/src/features/bookings'

/** Rooms that are sold twice, or not at all. */
export const bookingFaults: readonly Fault[] = [
  {
    name: 'booking-lock-removed',
    means:
      'Two guests ask for the last room at the same moment; who loses is told too late, and not by whom.',
    file: `${bookings}/stay-queries.ts`,
    edits: [
      [
        'and id = any(${ids}::uuid[]) order by id for no key update`',
        'and id = any(${ids}::uuid[]) order by id`',
      ],
    ],
    caughtBy: [{ file: `${bookings}/booking-races.test.ts`, test: 'of fifty for one night' }],
  },
  {
    name: 'booking-guard-removed',
    means: 'Whatever writes past the front door, a repair or an import, sells a room twice.',
    file: 'server/migrations/0011-bookings.sql',
    edits: [
      [
        'where t.booked + t.blocked > room_count and not t.night <@ held\n    order by',
        'where false and not t.night <@ held\n    order by',
      ],
    ],
    caughtBy: [
      { file: `${bookings}/bookings.test.ts`, test: 'the database refuses what gets past the door' },
    ],
  },
  {
    name: 'past-arrivals-booked',
    means: 'A typing error in the year makes a booking of 2016, and the guest who comes in 2026 has no room.',
    file: `${bookings}/stay.ts`,
    edits: [['if (arrival < today && !mayBePast)', 'if (false)']],
    caughtBy: [{ file: `${bookings}/stay-dates.test.ts`, test: 'are refused when a booking moves' }],
  },
  {
    name: 'late-confirmations-kept-back',
    means: 'Who was quoted before midnight, and books after it, is never sent a confirmation.',
    file: 'server/src/features/notifications/tell-story.ts',
    edits: [['if (quoteId !== null && !isMoved) return false', '']],
    caughtBy: [{ file: `${bookings}/stay-dates.test.ts`, test: 'quoted before midnight' }],
  },
  {
    name: 'past-stays-announced',
    means: 'Bringing over the bookings of another system writes to every guest of the last ten years.',
    file: 'server/src/features/notifications/tell-story.ts',
    edits: [["source !== 'pms' && arrival <=", 'false && arrival <=']],
    caughtBy: [{ file: `${bookings}/stay-dates.test.ts`, test: 'may be past, are pushed to no PMS' }],
  },
  {
    name: 'inclusive-departure',
    means:
      'The night of the departure counts as taken: guests who come on the day another leaves are sent away.',
    file: `${bookings}/stay-queries.ts`,
    edits: [['d.arrival, d.departure - 1) n,', 'd.arrival, d.departure) n,']],
    caughtBy: [
      {
        file: `${bookings}/bookings.test.ts`,
        test: 'who is refused learns who has the rooms, and where there is room',
      },
    ],
  },
  {
    name: 'old-revision-applied',
    means: 'A message that was late brings a cancelled booking back to life, and its room is gone.',
    file: `${bookings}/apply-booking.ts`,
    edits: [['if (known && isOvertaken(known, external)) return', 'if (known && false) return']],
    caughtBy: [
      {
        file: `${bookings}/external-bookings.test.ts`,
        test: 'a cancellation that comes first is not undone by the older booking',
      },
    ],
  },
  {
    name: 'zero-price-not-meant',
    means: 'A form that sends 0 for an empty field sells every night for nothing.',
    file: 'server/src/features/units/unit.ts',
    edits: [['if (price === 0 && isFree !== true)', 'if (false)']],
    caughtBy: [
      {
        file: 'server/src/features/units/units-prices.test.ts',
        test: 'is 0 only when the body says that this is meant',
      },
    ],
  },
  {
    name: 'moved-booking-exchanged',
    means: 'The PMS moves a guest to another room type, and partners see a cancellation and a stranger.',
    file: 'server/src/features/pms-bookings/match-lines.ts',
    edits: [['for (const sign of signs) match(', 'for (const sign of signs.slice(0, 2)) match(']],
    caughtBy: [
      {
        file: 'server/src/features/pms-bookings/moved-rooms.test.ts',
        test: 'it keeps its id, presence, notes and history, and partners hear of a change',
      },
    ],
  },
  {
    name: 'minimum-price-not-asked',
    means: 'A discount takes a night below what the operator sells it for.',
    file: 'server/src/features/pricing/stay.ts',
    edits: [['if (minimum === null) return []', 'if (minimum !== undefined) return []']],
    caughtBy: [
      {
        file: 'server/src/features/pricing/minimum-price.test.ts',
        test: 'is of each night: a dear one does not make up for a cheap one',
      },
    ],
  },
  {
    name: 'rooms-do-not-change-places',
    means: 'Two rooms of a reservation swap over there; here both are conflicts that nobody can solve.',
    file: 'server/src/features/pms-bookings/place-lines.ts',
    edits: [['if (targetId === undefined || waiting.length < 2)', 'if (targetId !== null)']],
    caughtBy: [
      {
        file: 'server/src/features/pms-bookings/moved-rooms.test.ts',
        test: 'two rooms that swap their types swap, also when each is full with the other',
      },
    ],
  },
  {
    name: 'own-words-overwritten',
    means: 'The desk corrects an address, the PMS tells the old one again, and the letter goes nowhere.',
    file: `${bookings}/merge-guest.ts`,
    edits: [['known && text === toldBefore ? here : text', 'text']],
    caughtBy: [
      {
        file: 'server/src/features/pms-bookings/own-words.test.ts',
        test: 'what a person changed of the guest stays until the PMS changes that member',
      },
    ],
  },
  {
    name: 'microseconds-cut',
    means: 'Two changes in one millisecond: the older one comes last, and stays.',
    file: 'server/src/outside/pms/pms-notice.ts',
    edits: [['return fraction === undefined ? time', 'return fraction !== null ? time']],
    caughtBy: [
      {
        file: 'server/src/features/pms-bookings/revision-order.test.ts',
        test: 'of channex: the newer one stays, whichever is heard of first',
      },
    ],
  },
  {
    name: 'if-match-ignored',
    means: 'Two people edit the same record, and the second wipes out what the first has written.',
    file: 'server/src/http/preconditions.ts',
    edits: [
      [
        'if (!versions.includes(String(version))) throw new Stale()',
        'if (versions.length === 0) throw new Stale()',
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
    edits: [
      ['return key === null ? await work(request.scope)', "return key !== '' ? await work(request.scope)"],
    ],
    caughtBy: [
      {
        file: 'server/src/http/idempotency.test.ts',
        test: 'a repeated request has one effect and the same answer, on every POST that creates or triggers',
      },
      {
        file: `${bookings}/bookings.test.ts`,
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
        file: 'server/src/db/endings.test.ts',
        test: 'is told only when the database has said so: one that cannot commit has failed',
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
        file: 'server/src/db/endings.test.ts',
        test: 'undoes everything when what was left for it fails, says why, and leaves a connection that works',
      },
    ],
  },
  {
    name: 'job-outside-its-transaction',
    means:
      'A job runs for a change that was taken back, or a change has no job and the PMS never hears of it.',
    file: 'server/src/queue/queue.ts',
    edits: [
      ['await boss.insert(queue, jobs, { db: withCommit(connection) })', 'await boss.insert(queue, jobs)'],
    ],
    caughtBy: [
      {
        file: 'server/src/queue/enqueue.test.ts',
        test: 'is there when its transaction has committed, and not before',
      },
    ],
  },
]
