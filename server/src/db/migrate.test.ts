import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migrate } from './migrate.ts'

/**
 * PostgreSQL 15.20 and its contemporaries refuse to rewrite a table while a function takes its row type. An event
 * trigger does the same on the versions before, so that a migration that does it fails on each of them.
 */

const server = process.env['TEST_DATABASE_URL'] ?? ''
const name = `test_${randomBytes(6).toString('hex')}`
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href

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
     end $$;
     create event trigger refuse_rewrite on table_rewrite execute function refuse_rewrite()`,
  )
})
after(() => query(server, `drop database ${name} with (force)`))

test('no migration rewrites a table whose row type a function takes', async () => {
  const { applied } = await migrate(url)
  assert.ok(applied.length > 0)
})

test('a rewrite under such a function is refused here as it is there', async () => {
  const rewrite = `alter table listing_syncs add column test_copy text generated always as (status) stored`
  await assert.rejects(query(url, rewrite), /uses its row type/)
})
