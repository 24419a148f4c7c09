import type { Fault } from './fault.ts'

const isolation = 'server/test/tenant-isolation.test.ts'
const healthTests = 'server/src/features/operations/health/health.test.ts'
const checks = 'server/src/features/operations/health/checks.ts'
const egress = 'server/src/egress/'

/** Faults of tenancy, permissions and health. */
export const tenancyFaults: readonly Fault[] = [
  {
    name: 'tenant-for-the-session',
    means: 'The next request on a connection reads the records of the organization before it.',
    code: [
      {
        ...{ file: 'server/src/db/setup-statement.ts', function: 'buildSetupStatement' },
        ...{ sqlCall: "set_config('app.org_id'", argument: 2, becomes: 'false' },
      },
    ],
    caughtBy: ['server/src/db/transactions.test.ts'],
  },
  {
    name: 'role-of-the-connection-only',
    means: 'Behind PgBouncer every statement runs as the login, and row-level security does not apply.',
    code: [
      {
        ...{ file: 'server/src/db/setup-statement.ts', function: 'buildSetupStatement' },
        ...{ comparison: 'role', becomes: 'false' },
      },
    ],
    caughtBy: ['server/test/pgbouncer.test.ts'],
  },
  {
    name: 'frozen-organization-written',
    means: 'A change that is made while an organization is copied to another cell is lost.',
    code: [{ file: 'server/src/db/setup-statement.ts', function: 'entryOf', whole: true, becomes: "''" }],
    caughtBy: ['server/src/features/operations/organization-moves/freeze-organization.test.ts'],
  },
  {
    name: 'full-disk-healthy',
    means: 'The disk of the database is full, every write fails, and /health reports no problem.',
    code: [{ file: checks, function: 'buildHealthChecks', call: 'hasDatabaseDiskSpace', becomes: 'true' }],
    caughtBy: [healthTests],
  },
  {
    name: 'dead-queue-healthy',
    means: 'No worker claims any job, nothing is pushed, and /health reports no problem.',
    code: [{ file: checks, function: 'buildHealthChecks', call: 'listOverdueJobs', becomes: '[]' }],
    caughtBy: [healthTests],
  },
  {
    name: 'lost-notifications-healthy',
    means: 'Behind PgBouncer streams stop and sign-outs are not received, and /health reports no problem.',
    code: [{ file: 'server/src/db/listen.ts', function: 'isReceiving', whole: true, becomes: 'true' }],
    caughtBy: ['server/test/pgbouncer.test.ts'],
  },
  {
    name: 'policy-not-forced',
    means: 'The owner of a table reads it across organizations.',
    sql: 'alter table spaces no force row level security;',
    caughtBy: [isolation],
  },
  {
    name: 'policy-without-organization',
    means: 'A query that forgets its condition shows the spaces of every organization.',
    sql: 'alter policy tenant on spaces using (true);',
    caughtBy: [isolation],
  },
  {
    name: 'cursor-unsigned',
    means: 'A cursor can be written by hand: pages of one list are read with the position of another.',
    code: [
      { file: 'server/src/http/paging.ts', function: 'openCursor', call: 'timingSafeEqual', becomes: 'true' },
    ],
    caughtBy: ['server/src/http/paging.test.ts'],
  },
  {
    name: 'permission-not-checked',
    means: 'Somebody who may only read deletes a property.',
    code: [
      {
        ...{ file: 'server/src/http/authenticate.ts', function: 'authorize' },
        ...{ call: 'has', becomes: '(permissions.size > 0)' },
      },
    ],
    caughtBy: ['server/test/permissions.test.ts'],
  },
  {
    name: 'credentials-shown',
    means: 'Everybody who may read a target reads the key of its PMS.',
    code: [
      {
        file: 'server/src/features/distribution/channel-targets/target-credentials.ts',
        function: 'maskedCredentials',
        ...{ comparison: 'name', becomes: 'true' },
      },
    ],
    caughtBy: [
      'server/src/features/distribution/channel-targets/credentials.test.ts',
      'server/test/secrets.test.ts',
    ],
  },
  {
    name: 'address-checked-only-when-stored',
    means: 'A name that led to the internet when it was stored leads into our network when it is called.',
    code: [
      { file: `${egress}egress.ts`, function: 'openAgent', call: 'checkedLookup', becomes: 'lookup' },
      { file: `${egress}egress.ts`, function: 'openAgent', call: 'checkedConnector', becomes: 'connect' },
      { file: `${egress}egress.ts`, function: 'request', call: 'checkAddress', becomes: 'new URL(address)' },
    ],
    caughtBy: [`${egress}refused.test.ts`],
  },
  {
    name: 'metadata-called-where-private-is-allowed',
    means: 'Under npm start a name leads to the metadata service of the cloud, which returns credentials.',
    code: [
      {
        file: `${egress}egress.ts`,
        function: 'connectionProblem',
        call: 'isForbidden',
        becomes: 'false',
      },
    ],
    caughtBy: [`${egress}forbidden.test.ts`],
  },
]
