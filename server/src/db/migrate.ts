import { readFile, readdir } from 'node:fs/promises'
import pg from 'pg'

const folder = new URL('../../migrations/', import.meta.url)

/**
 * Brings the database up to date: each file of `migrations/` once, in order, each in its own transaction.
 * Safe to run from several processes at once. Needs a login that may create roles.
 */
export async function migrate(connectionString: string): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString, application_name: 'vacancy migrate' })
  await client.connect()
  try {
    const applied: string[] = []
    for (;;) {
      const name = await applyNext(client)
      if (name === undefined) return { applied }
      applied.push(name)
    }
  } finally {
    await client.end()
  }
}

async function applyNext(client: pg.Client): Promise<string | undefined> {
  await client.query('begin')
  try {
    // Ends with the transaction: a lock of the session would be left behind in a pooler.
    await client.query('select pg_advisory_xact_lock(7821001)')
    const [name] = await pendingOn(client)
    if (name !== undefined) await apply(client, name)
    await client.query('commit')
    return name
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function apply(client: pg.Client, name: string): Promise<void> {
  const text = await readFile(new URL(name, folder), 'utf8')
  try {
    await client.query(text)
    await client.query('insert into migrations (name) values ($1)', [name])
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** The names of the migrations that this database still lacks. */
export async function pendingMigrations(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString, application_name: 'vacancy migrate' })
  await client.connect()
  try {
    return await pendingOn(client)
  } finally {
    await client.end()
  }
}

async function pendingOn(client: pg.Client): Promise<string[]> {
  await client.query(`create table if not exists migrations (
    name text primary key, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string }>('select name from migrations')
  const done = new Set(rows.map(({ name }) => name))
  const all = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return all.filter((name) => !done.has(name))
}
