import type { Config } from '#config/config.ts'
import { openRestricted, type RestrictedRole } from '#db/effective-role.ts'
import type { Database } from '#db/connect.ts'
import { pendingMigrations } from '#db/migrate.ts'
import {
  hasDatabaseDiskSpace,
  isReadOnly,
  listOverdueJobs,
  type OverdueJobs,
} from '#features/operations/health/checks.ts'
import {
  describeDatabase,
  doctorConnection,
  listRejectedTimeZones,
  type DatabaseState,
  type UsedTimeZone,
} from '#features/operations/health/database-state.ts'
import { openAsRole } from '#features/operations/secrets/reseal.ts'
import type { DoctorCheck } from './doctor-check.ts'

/** The checks of the database. Those of its state share one query. */
export function checkDatabase({ database, identity }: Config): DoctorCheck[] {
  let stateOnce: Promise<DatabaseState> | undefined
  const state = () => (stateOnce ??= describeDatabase(database.url))
  const check = (name: string, advice: string, evaluate: (state: DatabaseState) => string): DoctorCheck => ({
    name,
    advice,
    run: async () => evaluate(await state()),
  })
  const withDatabase = async <T>(use: (restricted: Database) => Promise<T>): Promise<T> => {
    await using restricted = await openRestricted(connectionOptions(database, 'vacancy_app'))
    return await use(restricted)
  }
  return [
    check('Database', 'Check DATABASE_URL and that PostgreSQL 15 or newer runs there.', (database) => {
      if (database.version_num < 150_000) throw new Error(`PostgreSQL ${database.version} is older than 15`)
      return `PostgreSQL ${database.version} as ${database.login}`
    }),
    {
      name: 'Migrations',
      advice: 'Give the doctor DATABASE_OWNER_URL. Run npx vacancy migrate where migrations are waiting.',
      run: async () => {
        const pending = await pendingMigrations(database.ownerUrl)
        if (pending.length > 0) throw new Error(`pending: ${pending.join(', ')}`)
        return 'none pending'
      },
    },
    {
      name: 'Tenant isolation',
      advice: 'Run npx vacancy migrate; grant vacancy_app and vacancy_queue to the login of DATABASE_URL.',
      run: async () => {
        for (const role of ['vacancy_app', 'vacancy_queue'] as const)
          await (await openRestricted(connectionOptions(database, role))).close()
        const { unguarded } = await state()
        if (unguarded.length > 0)
          throw new Error(`row-level security is not forced on ${unguarded.join(', ')}`)
        return 'statements run under restricted roles, and row-level security is forced on every table with an org_id'
      },
    },
    {
      name: 'Notifications',
      advice:
        'Set DATABASE_DIRECT_URL to PostgreSQL itself: streams, sign-outs and workers depend on notifications.',
      run: async () => {
        await withDatabase(async (restricted) => {
          const listener = await restricted.listen({}, () => {})
          const isReceiving = listener.isReceiving()
          await listener.stop()
          if (!isReceiving) throw new Error('notifications sent through DATABASE_URL are not received')
        })
        return 'notifications sent through DATABASE_URL are received'
      },
    },
    {
      name: 'Writes',
      advice:
        'Free space on the disk of the database; point DATABASE_URL to the primary server, with default_transaction_read_only off.',
      run: async () => {
        const [readOnly, hasSpace] = await withDatabase((restricted) =>
          Promise.all([isReadOnly(restricted), hasDatabaseDiskSpace(restricted)]),
        )
        if (readOnly) throw new Error('the database is read-only')
        if (!hasSpace) throw new Error('the disk of the database is full')
        return 'the database accepts writes, and its disk has space'
      },
    },
    {
      name: 'Time zones',
      advice:
        'Give the doctor DATABASE_OWNER_URL. Set a time zone of a place, such as Europe/Berlin: of spaces in the console, the default by npx vacancy org set.',
      run: async () => {
        await using lookout = openAsRole(database.ownerUrl, 'vacancy_lookout')
        const rejected = await listRejectedTimeZones(lookout)
        if (rejected.length > 0)
          throw new Error(`PostgreSQL reads these differently: ${rejected.map(describeZone).join('; ')}`)
        return 'the database and the service agree on all that are used'
      },
    },
    check(
      'Clock',
      'Synchronize the clocks of this machine and of the database (NTP): a process with a wrong clock rejects valid tokens and signatures.',
      ({ clockAheadMs }) => {
        const seconds = Math.round(clockAheadMs / 1_000)
        const difference = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} that of the database`
        if (Math.abs(seconds) > identity.leewaySeconds) throw new Error(difference)
        return difference
      },
    ),
    check('Durability', 'Turn these settings on in postgresql.conf.', (database) => {
      if (database.weak.length > 0)
        throw new Error(`${database.weak.join(', ')}: acknowledged changes can be lost`)
      return 'fsync, full_page_writes and synchronous_commit are on'
    }),
    {
      name: 'Queue',
      advice:
        'Run npx vacancy migrate when the schema is missing; start a worker (npx vacancy worker), or check the log of the one that runs.',
      run: async () => {
        if (!(await state()).has_queue) throw new Error('its schema is missing')
        const overdue = await withDatabase(listOverdueJobs)
        if (overdue.length > 0) throw new Error(overdue.map(describeOverdue).join('; '))
        return 'no job is overdue'
      },
    },
  ]
}

const describeOverdue = ({ queue, jobs, oldest_seconds }: OverdueJobs) =>
  `${jobs} ${jobs === 1 ? 'job' : 'jobs'} of the queue ${queue} overdue, the oldest for ${Math.round(oldest_seconds)} s`

const describeZone = ({ org_id, name, spaces, is_default }: UsedTimeZone) =>
  `${name} of ${[
    ...(spaces > 0 ? [`${spaces} ${spaces === 1 ? 'space' : 'spaces'}`] : []),
    ...(is_default ? ['new spaces'] : []),
  ].join(' and ')} of the organization ${org_id}`

/** Connects as the API and the workers do, so that a pooler is checked too. */
const connectionOptions = <Role extends RestrictedRole>(database: Config['database'], role: Role) => ({
  ...database,
  ...{ role, poolSize: 2, ...doctorConnection },
})
