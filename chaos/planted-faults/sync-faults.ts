import type { Fault } from './fault.ts'

const sync = 'server/src/features/sync'

/** A PMS that is told something else than what was decided, or told too often. */
export const syncFaults: readonly Fault[] = [
  {
    name: 'accepted-believed',
    means: 'A listing says that it is in sync although the PMS shows the old price.',
    file: `${sync}/evidence.ts`,
    edits: [["return action === 'sync.repaired' ? 'mends' : 'sent'", "return 'seen'"]],
    caughtBy: [
      {
        file: `${sync}/verification.test.ts`,
        test: 'a push that the PMS took is pending until the PMS was read back',
      },
    ],
  },
  {
    name: 'old-look-believed',
    means: 'A read that began before a push says that this push has arrived.',
    file: `${sync}/check-queries.ts`,
    edits: [
      [
        'and s.wanted_version = o.wanted_version and s.pushed_at is not distinct from o.pushed_at',
        'and o.wanted_version is not null',
      ],
    ],
    caughtBy: [
      {
        file: `${sync}/verification.test.ts`,
        test: 'a change while the PMS is read back makes that look void',
      },
    ],
  },
  {
    name: 'failed-task-ignored',
    means: 'What Channex took and then could not apply counts as applied.',
    file: `${sync}/read-target-back.ts`,
    edits: [
      [
        'if (externalIds.length === 0 || externalIds.some((id) => own.has(id))) return failure',
        'if (externalIds.length < 0) return failure',
      ],
    ],
    caughtBy: [
      {
        file: 'server/test/channex-tasks.test.ts',
        test: 'a task that fails is the failure of its listing, and a sync that works ends it',
      },
    ],
  },
  {
    name: 'late-push-believed',
    means:
      'A push that hung for minutes overwrites what a newer one has written, and the PMS keeps the old price.',
    file: `${sync}/settle-queries.ts`,
    edits: [
      [
        's.channel_listing_id = o.listing_id and s.claim = o.claim\n',
        's.channel_listing_id = o.listing_id\n',
      ],
    ],
    caughtBy: [
      {
        file: `${sync}/interleavings.test.ts`,
        test: 'an attempt that arrives after a newer one does not have the last word',
      },
    ],
  },
  {
    name: 'search-forgotten',
    means: 'A refused message is searched from the beginning in each round, and the other rooms wait for it.',
    file: `${sync}/prepare-pushes.ts`,
    edits: [['    refusedGroups: claim.refused_groups,\n', '']],
    caughtBy: [
      {
        file: 'server/test/channex-refused-rounds.test.ts',
        test: 'is searched once: the other rooms have their prices after as few messages as the search needs',
      },
    ],
  },
  {
    name: 'budget-per-target',
    means: 'Each of two targets of one property calls as often as the PMS allows both of them together.',
    file: 'server/migrations/0056-shared-budgets.sql',
    edits: [
      [
        "coalesce(config #>> '{credentials,account_id}', config ->> 'property_ref', target::text)",
        'target::text',
      ],
    ],
    caughtBy: [
      {
        file: 'server/test/channex-shared-limits.test.ts',
        test: 'share its limit: each shows what both have used',
      },
    ],
  },
  {
    name: 'failure-without-time',
    means: 'Who asks for the listings that changed does not hear of those that were synced or failed since.',
    file: 'server/src/features/channel-listings/find-queries.ts',
    edits: [['greatest(l.updated_at, s.shown_at) as updated_at', 'l.updated_at']],
    caughtBy: [
      {
        file: 'server/src/features/channel-listings/updated-since.test.ts',
        test: 'moves when it was synced, when it failed, and when it is right again',
      },
    ],
  },
  {
    name: 'attempts-without-end',
    means: 'A listing that can never succeed is tried for ever, and nobody is told.',
    file: `${sync}/sync-status.ts`,
    edits: [['export const maxAttempts = 5\n', 'export const maxAttempts = 1_000\n']],
    caughtBy: [{ file: `${sync}/failures.test.ts`, test: 'after five attempts the listing is in error' }],
  },
  {
    name: 'no-wait-between-attempts',
    means: 'A PMS that is in trouble is called again at once by everybody, and stays in trouble.',
    file: `${sync}/sync-status.ts`,
    edits: [
      ['return Math.max(1_000, longest * 1_000 * random, askedMs)', 'return 0 * longest * random * askedMs'],
    ],
    caughtBy: [
      {
        file: `${sync}/failures.test.ts`,
        test: 'longer after each attempt, with full jitter, and never before the PMS asks',
      },
    ],
  },
  {
    name: 'past-nights-sent',
    means: 'The PMS refuses a whole call because of yesterday, and tonight is not told.',
    file: `${sync}/claim-queries.ts`,
    edits: [
      ['case when w.whole then p.today\n', 'case when w.whole then p.today - 3\n'],
      [
        'then greatest(t.flight_from, p.today) end as first_night',
        'then greatest(t.flight_from, p.today - 3) end as first_night',
      ],
    ],
    caughtBy: [
      {
        file: 'server/test/channex-rooms.test.ts',
        test: 'nothing past is sent where the day is another than ours',
      },
    ],
  },
  {
    name: 'booked-rooms-still-offered',
    means:
      'A booking that was made here is not taken from what the PMS sells: the room is sold again over there.',
    file: `${sync}/wanted-nights.ts`,
    edits: [
      [
        'values.rooms[night] = Math.max(0, quantity - rooms)',
        'values.rooms[night] = Math.max(quantity, rooms)',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/pms-bookings/channex-bookings.test.ts',
        test: 'a modification moves it and a cancellation gives the rooms back: the absolute number is pushed',
      },
    ],
  },
]
