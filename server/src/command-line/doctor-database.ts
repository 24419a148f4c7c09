import type { Config } from '#config.ts'
import { openRestricted, type RestrictedRole } from '#db/effective-role.ts'
import type { Database } from '#db/connect.ts'
import { pendingMigrations } from '#db/migrate.ts'
import { hasDatabaseRoom, isReadOnly, listOverdueJobs, type OverdueJobs } from '#features/health/queries.ts'
import type { Check } from './check.ts'
import { describeDatabase, type DatabaseState } from './queries.ts'

/** One connection answers all of them. */
export function checkDatabase({ database }: Config): Check[] {
  let asked: Promise<DatabaseState> | undefined
  const state = () => (asked ??= describeDatabase(database.url))
  const check = (name: string, advice: string, look: (state: DatabaseState) => string): Check => ({
    name,
    advice,
    look: async () => look(await state()),
  })
  const ask = async <T>(question: (restricted: Database) => Promise<T>): Promise<T> => {
    const restricted = await openRestricted(asProcess(database, 'vacancy_app'))
    try {
      return await question(restricted)
    } finally {
      await restricted.close()
    }
  }
  return [
    check('Database', 'Check DATABASE_URL and that PostgreSQL 15 or newer runs there.', (found) => {
      if (found.version_num < 150_000) throw new Error(`PostgreSQL ${found.version} is older than 15`)
      return `PostgreSQL ${found.version} as ${found.login}`
    }),
    {
      name: 'Migrations',
      advice: 'Run npx vacancy migrate.',
      look: async () => {
        const pending = await pendingMigrations(database.ownerUrl)
        if (pending.length > 0) throw new Error(`waiting: ${pending.join(', ')}`)
        return 'none waiting'
      },
    },
    {
      name: 'Tenant walls',
      advice: 'Run npx vacancy migrate; grant vacancy_app and vacancy_queue to the login of DATABASE_URL.',
      look: async () => {
        for (const role of ['vacancy_app', 'vacancy_queue'] as const)
          await (await openRestricted(asProcess(database, role))).close()
        const { unguarded } = await state()
        if (unguarded.length > 0) throw new Error(`not forced on ${unguarded.join(', ')}`)
        return 'statements run under roles that row-level security holds, on every table of an organization'
      },
    },
    {
      name: 'Notifications',
      advice:
        'Set DATABASE_DIRECT_URL to PostgreSQL itself: streams, sign-outs and workers wait for what is heard there.',
      look: async () => {
        await ask(async (restricted) => {
          const listener = await restricted.listen({}, () => {})
          const isHearing = listener.isHearing()
          await listener.stop()
          if (!isHearing) throw new Error('what is sent through DATABASE_URL is not heard')
        })
        return 'what is sent through DATABASE_URL is heard'
      },
    },
    {
      name: 'Writing',
      advice:
        'Make room on the disk of the database; let DATABASE_URL lead to the primary server, with default_transaction_read_only off.',
      look: async () => {
        const [isStanding, hasRoom] = await ask((restricted) =>
          Promise.all([isReadOnly(restricted), hasDatabaseRoom(restricted)]),
        )
        if (isStanding) throw new Error('the database is read-only: it takes no change')
        if (!hasRoom) throw new Error('the disk of the database is full')
        return 'the database takes changes, and its disk has room'
      },
    },
    check('Durability', 'Turn them on in postgresql.conf.', (found) => {
      if (found.weak.length > 0) throw new Error(`${found.weak.join(', ')}: acknowledged changes can be lost`)
      return 'fsync, full_page_writes and synchronous_commit are on'
    }),
    {
      name: 'Queue',
      advice:
        'Run npx vacancy migrate where the schema is missing; start a worker (npx vacancy worker), or look into the log of the one that runs.',
      look: async () => {
        if (!(await state()).has_queue) throw new Error('its schema is missing')
        const overdue = await ask(listOverdueJobs)
        if (overdue.length > 0) throw new Error(overdue.map(describeOverdue).join('; '))
        return 'no job is overdue'
      },
    },
  ]
}

const describeOverdue = ({ queue, jobs, oldest_seconds }: OverdueJobs) =>
  `${jobs} ${jobs === 1 ? 'job' : 'jobs'} of the queue ${queue} overdue, the oldest for ${Math.round(oldest_seconds)} s`

/** As the processes connect, so that what is between is seen, too. */
const asProcess = <Role extends RestrictedRole>(database: Config['database'], role: Role) => ({
  ...database,
  ...{ role, poolSize: 2, applicationName: 'vacancy doctor', statementTimeoutMs: 4_000, onError: () => {} },
})
