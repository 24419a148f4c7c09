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
    await client.query('select pg_advisory_lock(7821001)')
    const applied: string[] = []
    for (const name of await pendingOn(client)) {
      const text = await readFile(new URL(name, folder), 'utf8')
      await client.query('begin')
      try {
        await client.query(text)
        await client.query('insert into migrations (name) values ($1)', [name])
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
      }
      applied.push(name)
    }
    return { applied }
  } finally {
    await client.end()
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
