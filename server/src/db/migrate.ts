import { readFile, readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientSettings } from './connection-settings.ts'
import { retryOnDeadlock } from './scope.ts'

const folder = new URL('../../migrations/', import.meta.url)
const connectTimeoutMs = 10_000

/** Requests queue behind a lock that a migration waits for, and fail after 4 s. */
const lockTimeoutMs = 2_000
/** In between, what has queued is done. */
const lockPauseMs = 2_000
/** For five minutes together. */
const maxLockWaits = 75

/**
 * Applies the files of `migrations/` that are missing, in order, each in a transaction of its own. Several processes may
 * run it at the same time. The login needs the privilege to create roles.
 */
export async function migrate(connectionString: string): Promise<{ applied: string[] }> {
  return withClient(connectionString, async (client) => {
    const applied: string[] = []
    for (;;) {
      // While requests write; they wait for the migration's locks, and it for theirs.
      const name = await retryWhileLocked(() => retryOnDeadlock(() => applyNext(client)))
      if (name === undefined) break
      applied.push(name)
    }
    // After a long stop the partitions that workers have made may have ended.
    await client.query('select make_partitions()')
    return { applied }
  })
}

/**
 * Lets the login of the processes act as the restricted roles. Does nothing when it is the owner, can do so already, or
 * is not a role of this server, as behind a pooler with users of its own.
 */
export async function grantRoles(connectionString: string, login: string): Promise<void> {
  await withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ grant: string }>(
      `select format('grant vacancy_app, vacancy_queue to %I', rolname) as grant
      from pg_roles
      where rolname = $1 and rolname <> current_user and not rolsuper
        and not (pg_has_role(oid, 'vacancy_app', 'member') and pg_has_role(oid, 'vacancy_queue', 'member'))`,
      [login],
    )
    if (rows[0]) await client.query(rows[0].grant)
  })
}

/** Another transaction may hold the table for long: a dump, or a report. */
async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let waits = 1; ; waits++)
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55P03') throw error
      if (waits === maxLockWaits)
        throw new Error(
          `${(error as Error).message}. Another transaction has held the table for minutes: end it, pg_stat_activity lists it, and migrate again.`,
          { cause: error },
        )
      await sleep(lockPauseMs)
    }
}

async function applyNext(client: pg.Client): Promise<string | undefined> {
  await client.query('begin')
  try {
    // A transaction lock, because a session lock would stay behind in a pooler.
    await client.query('select pg_advisory_xact_lock(7821001)')
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    const [name] = await listPending(client)
    if (name !== undefined) await applyFile(client, name)
    await client.query('commit')
    return name
  } catch (error) {
    // It fails when the connection was lost, which is the error to report.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function applyFile(client: pg.Client, name: string): Promise<void> {
  const text = await readFile(new URL(name, folder), 'utf8')
  try {
    await client.query(text)
    await client.query('insert into migrations (name) values ($1)', [name])
  } catch (error) {
    const { message, code } = error as pg.DatabaseError
    throw Object.assign(new Error(`Migration ${name} failed: ${message}`, { cause: error }), { code })
  }
}

/** The names of the migrations that were not applied to this database. @throws Error when they cannot be applied */
export const pendingMigrations = (connectionString: string): Promise<string[]> =>
  withClient(connectionString, listPending)

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...clientSettings(connectionString, 'vacancy migrate'),
    connectionTimeoutMillis: connectTimeoutMs,
  })
  // A lost connection fails the statement; without a listener it would end the process as well.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function listPending(client: pg.Client): Promise<string[]> {
  await client.query(`
    create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )`)
  const { rows } = await client.query<{ name: string }>('select name from migrations order by name')
  const applied = rows.map(({ name }) => name)
  const known = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const pending = known.filter((name) => !applied.includes(name))
  // With nothing pending, a newer release has migrated the database and keeps it compatible with this one.
  if (pending.length > 0) assertKnown(applied.filter((name) => !known.includes(name)))
  return pending
}

/** Unknown migrations may have created anything, so ours could fail, or succeed on the wrong tables. */
function assertKnown(unknown: string[]): void {
  if (unknown.length === 0) return
  const more = unknown.length > 2 ? ` and ${unknown.length - 2} more` : ''
  throw new Error(
    `The database was created by migrations that this release does not have (${unknown.slice(0, 2).join(', ')}${more}), ` +
      'so it cannot be brought up to date. Use an empty database: set DATABASE_URL to a new one or, when npm start ' +
      'runs PostgreSQL itself, move the folder VACANCY_HOME (./.vacancy) away.',
  )
}
