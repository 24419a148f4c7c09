import type { Fault } from './fault.ts'

const walls = 'server/test/tenant-isolation.test.ts'

/** One organization that sees another, and people who may do more than they may. */
export const tenancyFaults: readonly Fault[] = [
  {
    name: 'tenant-for-the-session',
    means: 'The next request on a connection reads the records of whoever used it before.',
    file: 'server/src/db/statements.ts',
    edits: [["select set_config('app.org_id', $1, true)", "select set_config('app.org_id', $1, false)"]],
    caughtBy: [
      {
        file: 'server/src/db/transactions.test.ts',
        test: 'resets the organization: later statements on the connection see no rows',
      },
    ],
  },
  {
    name: 'role-of-the-connection-only',
    means: 'Behind PgBouncer every statement runs as the login, and row-level security holds nobody.',
    file: 'server/src/db/statements.ts',
    edits: [['...(role !== null && { role }),', '']],
    caughtBy: [
      {
        file: 'server/test/pgbouncer.test.ts',
        test: 'every transaction runs under the restricted role, reads and writes, many at once',
      },
    ],
  },
  {
    name: 'full-disk-healthy',
    means: 'The disk of the database is full, every write fails, and whoever watches /health sleeps on.',
    file: 'server/src/features/operations/health/checks.ts',
    edits: [
      [
        '(await hasFreeSpace(config.home)) && (await hasDatabaseDiskSpace(database))',
        'await hasFreeSpace(config.home)',
      ],
    ],
    caughtBy: [
      { file: 'server/src/features/operations/health/health.test.ts', test: 'a full disk of the database' },
    ],
  },
  {
    name: 'dead-queue-healthy',
    means: 'No worker takes any job, nothing is pushed, and everything says that it is well.',
    file: 'server/src/features/operations/health/checks.ts',
    edits: [['(await listOverdueJobs(database)).length === 0', 'Boolean(await listOverdueJobs(database))']],
    caughtBy: [
      { file: 'server/src/features/operations/health/health.test.ts', test: 'jobs that no worker takes' },
    ],
  },
  {
    name: 'deaf-and-healthy',
    means: 'Behind PgBouncer streams stand still and sign-outs are not heard, while all is said to be well.',
    file: 'server/src/db/listen.ts',
    edits: [['const isReceiving = () => hasReceived && !isOverdue()', 'const isReceiving = () => true']],
    caughtBy: [
      { file: 'server/test/pgbouncer.test.ts', test: 'health says that notifications are not heard' },
    ],
  },
  {
    name: 'policy-not-forced',
    means: 'Whoever owns a table reads it across organizations: the second wall has a door.',
    file: 'server/migrations/0003-inventory.sql',
    edits: [
      [
        'alter table spaces enable row level security, force row level security;',
        'alter table spaces enable row level security;',
      ],
    ],
    caughtBy: [{ file: walls, test: 'every table with an organization has forced policies that look at it' }],
  },
  {
    name: 'policy-without-organization',
    means: 'A query that forgets its condition shows the spaces of every organization.',
    file: 'server/migrations/0003-inventory.sql',
    edits: [
      [
        'create policy tenant on spaces to vacancy_app\n  using (org_id = current_org())',
        'create policy tenant on spaces to vacancy_app\n  using (true)',
      ],
    ],
    caughtBy: [{ file: walls, test: 'only our own rows are seen, and none without an organization' }],
  },
  {
    name: 'cursor-unsigned',
    means: 'A cursor can be written by hand: pages of one list are read with the position of another.',
    file: 'server/src/http/paging.ts',
    edits: [['timingSafeEqual(bytes.subarray(0, signatureBytes), sign(', 'Boolean(sign(']],
    caughtBy: [
      {
        file: 'server/src/http/paging.test.ts',
        test: 'a cursor is valid only for its organization, path, sort and filters',
      },
    ],
  },
  {
    name: 'permission-not-asked',
    means: 'Somebody who may only look deletes a property.',
    file: 'server/src/http/authenticate.ts',
    edits: [['permissions.has(required)', 'permissions.size']],
    caughtBy: [{ file: 'server/test/permissions.test.ts', test: 'every operation and every role' }],
  },
  {
    name: 'credentials-shown',
    means: 'Everybody who may look at a target reads the key to its PMS.',
    file: 'server/src/features/distribution/channel-targets/target-credentials.ts',
    edits: [["name === 'account_id' ? value : mask]", 'value]']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/channel-targets/credentials.test.ts',
        test: 'no response contains the secret',
      },
      { file: 'server/test/secrets.test.ts', test: 'in what anybody can read of the organization' },
    ],
  },
  {
    name: 'address-judged-only-when-stored',
    means: 'A name that led to the internet when it was given leads into our network when it is called.',
    file: 'server/src/egress/egress.ts',
    edits: [
      ['lookup: checkedLookup(lookup, check),\n  })', 'lookup,\n  })'],
      ['connect: checkedConnector(connect, check),', 'connect,'],
      [
        "const url = checkAddress(address, options)\n      if (typeof url === 'string') throw new EgressRefused(url)\n",
        'const url = new URL(address)\n',
      ],
    ],
    caughtBy: [
      { file: 'server/src/egress/refused.test.ts', test: 'by its only address' },
      {
        file: 'server/src/egress/refused.test.ts',
        test: 'only at the second call: each connection is checked',
      },
    ],
  },
  {
    name: 'metadata-called-where-private-is-allowed',
    means: 'Under npm start a name leads to the metadata service of the cloud, which hands out credentials.',
    file: 'server/src/egress/address-rules.ts',
    edits: [
      [
        'if (allowsPrivate) return isForbidden(address) ? forbiddenAddress : null',
        'if (allowsPrivate) return null',
      ],
    ],
    caughtBy: [{ file: 'server/src/egress/forbidden.test.ts', test: 'by one of its addresses' }],
  },
]
