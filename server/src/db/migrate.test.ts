import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { until } from '#test/linked-units.ts'
import { migrate, pendingMigrations } from './migrate.ts'

/**
 * Migrations on an empty database.
 *
 * PostgreSQL 15.20 and the other minor versions of that release refuse to rewrite a table while a function has its row
 * type as a parameter. An event trigger does the same on older versions, so such a migration fails on all of them. It
 * rejects any other rewrite too, but of migrations that were released before.
 */
const lastWithRewrites = '0125-calendar-changes-by-age.sql'

const server = process.env['TEST_DATABASE_URL'] ?? ''
const newName = () => `test_${randomBytes(6).toString('hex')}`
const urlOf = (name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href
const name = newName()
const url = urlOf(name)

const query = async (connectionString: string, text: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

before(async () => {
  await query(server, `create database ${name}`)
  await query(
    url,
    `create function refuse_rewrite() returns event_trigger language plpgsql as $$
     declare taken_by text; begin
       select string_agg(f.oid::regprocedure::text, ', ') into taken_by
         from pg_class t join pg_proc f on t.reltype = any(f.proargtypes)
         where t.oid = pg_event_trigger_table_rewrite_oid();
       if taken_by is not null then
         raise 'cannot rewrite % because % uses its row type', pg_event_trigger_table_rewrite_oid()::regclass, taken_by;
       end if;
       if exists (select from migrations where name >= '${lastWithRewrites}') then
         raise 'a migration may not rewrite %: see docs/decisions/0004-records-stored-as-json.md',
           pg_event_trigger_table_rewrite_oid()::regclass;
       end if;
     end $$;
     create event trigger refuse_rewrite on table_rewrite execute function refuse_rewrite()`,
  )
})
after(() => query(server, `drop database ${name} with (force)`))

test('no new migration rewrites a table, and none one whose row type is a parameter of a function', async () => {
  const { applied } = await migrate(url)
  assert.ok(applied.length > 0)
})

test('the event trigger of this test rejects such a rewrite', async () => {
  const copyOf = (table: string) =>
    `alter table ${table} add column test_copy text generated always as (status) stored`
  await assert.rejects(query(url, copyOf('listing_syncs')), /uses its row type/)
  await assert.rejects(query(url, copyOf('units')), /may not rewrite units/)
})

test('every table has a comment', async () => {
  const { rows } = await query(
    url,
    `select relname from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
       and obj_description(oid, 'pg_class') is null`,
  )
  assert.deepEqual(rows, [])
})

test('a migration that waits for a writer which waits for it runs again', async () => {
  // The last one that locks two tables.
  const name = '0072-rare-states.sql'
  await query(url, `drop index channel_listings_paused, audit_entries_of_rare_actions`)
  await query(url, `delete from migrations where name = '${name}'`)
  const writer = new pg.Client({ connectionString: url })
  await writer.connect()
  try {
    // So that PostgreSQL ends the migration, not the writer.
    await writer.query(`set deadlock_timeout = '1min'`)
    await writer.query('begin')
    await writer.query('lock table audit_entries in row exclusive mode')
    const migrated = migrate(url)
    const isWaiting = `select 1 from pg_locks where relation = 'audit_entries'::regclass and not granted`
    await until(async () => (await query(url, isWaiting)).rowCount, Boolean)
    await writer.query('lock table channel_listings in row exclusive mode')
    await writer.query('commit')
    assert.deepEqual(await migrated, { applied: [name] })
  } finally {
    await writer.end()
  }
})

test('a migration that waits for a long transaction does not hold up others', async () => {
  await query(url, `drop index audit_entries_of_rare_actions, channel_listings_paused`)
  await query(url, `delete from migrations where name = '0072-rare-states.sql'`)
  const [long, short] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([long.connect(), short.connect()])
  const write = 'lock table audit_entries in row exclusive mode'
  try {
    await long.query('begin')
    await long.query(write)
    const migrated = migrate(url)
    const isWaiting = `select 1 from pg_locks where relation = 'audit_entries'::regclass and not granted`
    await until(async () => (await query(url, isWaiting)).rowCount, Boolean)
    // As requests do.
    await short.query(`set lock_timeout = '4s'`)
    await short.query('begin')
    await short.query(write)
    await Promise.all([short.query('commit'), long.query('commit')])
    assert.deepEqual(await migrated, { applied: ['0072-rare-states.sql'] })
  } finally {
    await Promise.all([long.end(), short.end()])
  }
})

test('a migration whose connection is lost fails, and the process goes on', async () => {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  try {
    await holder.query('select pg_advisory_lock(7821001)')
    const failed = assert.rejects(migrate(url), /terminat/)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'vacancy migrate' and wait_event = 'advisory'`
    await until(async () => (await query(url, end)).rowCount, Boolean)
    await failed
  } finally {
    await holder.end()
  }
})

test('a server that accepts connections and never answers is given up', { timeout: 60_000 }, async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    await assert.rejects(pendingMigrations(`postgres://vacancy@127.0.0.1:${port}/vacancy`), /timeout/)
  } finally {
    silent.close()
  }
})

suite('a database with migrations that this release does not have', () => {
  test('is accepted when nothing is pending: a newer release has migrated it', async () => {
    await query(url, `insert into migrations (name) values ('9999-of-a-newer-release.sql')`)
    assert.deepEqual(await migrate(url), { applied: [] })
  })

  test('is refused when something is pending, with what to do, and stays as it is', async () => {
    const foreign = newName()
    await query(server, `create database ${foreign}`)
    try {
      await query(
        urlOf(foreign),
        `create table migrations (name text primary key, applied_at timestamptz not null default now());
         insert into migrations (name) values ('0001-tenants.sql'), ('0002-inventory.sql'), ('0003-channels.sql'),
           ('0004-idempotency.sql')`,
      )
      const refusal =
        'The database was created by migrations that this release does not have (0001-tenants.sql, ' +
        '0002-inventory.sql and 2 more), so it cannot be brought up to date. Use an empty database: set ' +
        'DATABASE_URL to a new one or, when npm start runs PostgreSQL itself, move the folder VACANCY_HOME ' +
        '(./.vacancy) away.'
      await assert.rejects(migrate(urlOf(foreign)), { message: refusal })
      await assert.rejects(pendingMigrations(urlOf(foreign)), { message: refusal })
      const { rows } = await query(
        urlOf(foreign),
        `select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      )
      assert.deepEqual(rows, [{ relname: 'migrations' }])
    } finally {
      await query(server, `drop database ${foreign} with (force)`)
    }
  })
})
