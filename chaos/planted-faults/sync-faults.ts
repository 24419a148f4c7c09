import type { Fault } from './fault.ts'

const sync = 'server/src/features/distribution/sync/'

/** A PMS that shows other values than those decided here, or is called too often. */
export const syncFaults: readonly Fault[] = [
  {
    name: 'accepted-counts-as-shown',
    means: 'A listing is reported as in sync although the PMS shows the old price.',
    code: [
      {
        ...{ file: `${sync}engine/record-results.ts`, function: 'evidenceOf' },
        ...{ conditional: 'sync.repaired', becomes: "'seen'" },
      },
    ],
    caughtBy: [`${sync}engine/verification.test.ts`],
  },
  {
    name: 'old-read-confirms-push',
    means: 'A read that began before a push confirms that push.',
    code: ['result.wanted_version', 'result.pushed_at'].map((column) => ({
      ...{ file: `${sync}state-queries.ts`, function: 'recordChecks' },
      ...{ sqlCondition: column, becomes: 'true' },
    })),
    caughtBy: [`${sync}state.test.ts`],
  },
  {
    name: 'failed-task-ignored',
    means: 'What Channex accepted and then failed to apply counts as applied.',
    code: [
      {
        ...{ file: `${sync}engine/verify-target.ts`, function: 'combinedTaskState' },
        ...{ variable: 'failure', becomes: 'null' },
      },
    ],
    caughtBy: ['server/test/channex-tasks.test.ts'],
  },
  {
    name: 'late-push-recorded',
    means:
      'A push that hung for minutes overwrites the result of a newer one, and the PMS keeps the old price.',
    code: [
      {
        ...{ file: `${sync}state-queries.ts`, function: 'recordResults' },
        ...{ sqlCondition: 'result.claim', becomes: 'true' },
      },
    ],
    caughtBy: [`${sync}engine/interleavings.test.ts`],
  },
  {
    name: 'search-forgotten',
    means: 'A refused message is bisected from the beginning in each round, and the other rooms wait.',
    code: [
      {
        file: `${sync}engine/plan-push.ts`,
        function: 'toUnitUpdate',
        property: 'refusedGroups',
        becomes: '',
      },
    ],
    caughtBy: ['server/test/channex-refused-rounds.test.ts'],
  },
  {
    name: 'budget-per-target',
    means: 'Each of two targets of one property calls as often as the PMS allows both of them together.',
    sql: `create or replace function budget_key(config jsonb, target uuid) returns text
      language sql immutable parallel safe return target::text;`,
    caughtBy: ['server/test/channex-shared-limits.test.ts'],
  },
  {
    name: 'failure-without-time',
    means: 'A client that lists changed listings misses those that were synced or failed since.',
    sql: `create function keep_shown_at() returns trigger language plpgsql as
      'begin new.shown_at := old.shown_at; return new; end';
      create trigger keep_shown_at before update on listing_syncs for each row execute function keep_shown_at();`,
    caughtBy: ['server/src/features/distribution/channel-listings/updated-since.test.ts'],
  },
  {
    name: 'attempts-without-end',
    means: 'A listing that can never succeed is retried for ever, and nobody gets an alert.',
    code: [{ file: `${sync}state.ts`, function: 'maxAttempts', whole: true, becomes: '1_000' }],
    caughtBy: [`${sync}engine/failures.test.ts`],
  },
  {
    name: 'no-wait-between-attempts',
    means: 'A PMS that fails is called again at once by every target, and keeps failing.',
    code: [{ file: `${sync}state.ts`, function: 'retryInMs', whole: true, becomes: '0' }],
    caughtBy: [`${sync}engine/failures.test.ts`],
  },
  {
    name: 'past-nights-sent',
    means: 'The PMS refuses a whole call because of yesterday, and tonight is not updated.',
    code: [
      {
        ...{ file: `${sync}state-queries.ts`, function: 'claimDue', sqlColumn: 'today' },
        becomes: '(now() at time zone timezone)::date - 3',
      },
    ],
    caughtBy: ['server/test/channex-rooms.test.ts'],
  },
  {
    name: 'booked-rooms-still-offered',
    means: 'A booking that was made here does not reduce what the PMS sells: the room is sold again there.',
    code: [
      {
        ...{ file: `${sync}diff/desired-calendar.ts`, function: 'buildDesiredGrid' },
        ...{ call: 'max', argument: 1, becomes: 'quantity' },
      },
    ],
    caughtBy: ['server/src/features/distribution/pms-bookings/channex-bookings.test.ts'],
  },
]
