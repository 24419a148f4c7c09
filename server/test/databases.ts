import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { migrate } from '#db/migrate.ts'

/** Creates a database for one test file: a clone of a migrated template, which takes some tens of milliseconds. */
export async function cloneDatabase(): Promise<{ url: string } & AsyncDisposable> {
  const server = process.env['TEST_DATABASE_URL']
  if (!server) throw new Error('TEST_DATABASE_URL is missing: run the tests with npm test.')
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = `template_${hashMigrations()}`
  await withClient(server, async (client) => {
    // A template cannot be cloned while another session is connected to it.
    await client.query('select pg_advisory_lock(7821002)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template])
    if (!rowCount) {
      await client.query(`drop database if exists ${template}_new`)
      await client.query(`create database ${template}_new`)
      await migrate(withDatabase(server, `${template}_new`))
      await client.query(`alter database ${template}_new rename to ${template}`)
    }
    await client.query(`create database ${name} template ${template} strategy file_copy`)
  })
  return {
    url: withDatabase(server, name),
    [Symbol.asyncDispose]: () =>
      withClient(server, async (client) => void (await client.query(`drop database ${name} with (force)`))),
  }
}

/** Works on a connection of its own, outside of transactions: `vacuum` cannot run in one. */
export async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

function hashMigrations(): string {
  const folder = new URL('../migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(new URL(name, folder)))
  return hash.digest('hex').slice(0, 12)
}
