import type { Fault } from './fault.ts'

/** A PMS that is told something else than what was decided, or told too often. */
export const syncFaults: readonly Fault[] = [
  {
    name: 'accepted-believed',
    means: 'A listing says that it is in sync although the PMS shows the old price.',
    file: 'server/src/features/distribution/sync/engine/record-results.ts',
    edits: [["return action === 'sync.repaired' ? 'repairs' : 'sent'", "return 'seen'"]],
    caughtBy: [
      {
        file: 'server/src/features/distribution/sync/engine/verification.test.ts',
        test: 'a push that the PMS took is pending until the PMS was read back',
      },
    ],
  },
  {
    name: 'old-look-believed',
    means: 'A read that began before a push says that this push has arrived.',
    file: 'server/src/features/distribution/sync/state-queries.ts',
    edits: [
      [
        'and sync.wanted_version = result.wanted_version\n        and sync.pushed_at is not distinct from result.pushed_at',
        'and result.wanted_version is not null',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/sync/engine/verification.test.ts',
        test: 'a change while the PMS is read back makes that look void',
      },
    ],
  },
  {
    name: 'failed-task-ignored',
    means: 'What Channex took and then could not apply counts as applied.',
    file: 'server/src/features/distribution/sync/engine/verify-target.ts',
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
    file: 'server/src/features/distribution/sync/state-queries.ts',
    edits: [
      [
        'sync.channel_listing_id = result.listing_id\n        and sync.claim = result.claim\n',
        'sync.channel_listing_id = result.listing_id\n',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/sync/engine/interleavings.test.ts',
        test: 'an attempt that arrives after a newer one does not have the last word',
      },
    ],
  },
  {
    name: 'search-forgotten',
    means: 'A refused message is searched from the beginning in each round, and the other rooms wait for it.',
    file: 'server/src/features/distribution/sync/engine/plan-push.ts',
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
    file: 'server/migrations/0007-distribution.sql',
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
    file: 'server/src/features/distribution/channel-listings/queries.ts',
    edits: [['greatest(listing.updated_at, sync.shown_at) as updated_at', 'listing.updated_at']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/channel-listings/updated-since.test.ts',
        test: 'changes when the listing is synced, fails and recovers',
      },
    ],
  },
  {
    name: 'attempts-without-end',
    means: 'A listing that can never succeed is tried for ever, and nobody is told.',
    file: 'server/src/features/distribution/sync/state.ts',
    edits: [['export const maxAttempts = 5\n', 'export const maxAttempts = 1_000\n']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/sync/engine/failures.test.ts',
        test: 'after five attempts the listing is in error',
      },
    ],
  },
  {
    name: 'no-wait-between-attempts',
    means: 'A PMS that is in trouble is called again at once by everybody, and stays in trouble.',
    file: 'server/src/features/distribution/sync/state.ts',
    edits: [
      ['return Math.max(1_000, maxWait * 1_000 * random, askedMs)', 'return 0 * maxWait * random * askedMs'],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/sync/engine/failures.test.ts',
        test: 'longer after each attempt, with full jitter, and never before the PMS asks',
      },
    ],
  },
  {
    name: 'past-nights-sent',
    means: 'The PMS refuses a whole call because of yesterday, and tonight is not told.',
    file: 'server/src/features/distribution/sync/state-queries.ts',
    edits: [
      ['when push.is_full then space.today\n', 'when push.is_full then space.today - 3\n'],
      [
        'then greatest(taken.sending_from, space.today)\n',
        'then greatest(taken.sending_from, space.today - 3)\n',
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
    file: 'server/src/features/distribution/sync/diff/desired-calendar.ts',
    edits: [
      [
        'values.rooms[night] = Math.max(0, quantity - rooms)',
        'values.rooms[night] = Math.max(quantity, rooms)',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-bookings/channex-bookings.test.ts',
        test: 'pushes the absolute availability after a modification and a cancellation',
      },
    ],
  },
]
