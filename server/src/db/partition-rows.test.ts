import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migrate } from './migrate.ts'

/** What stood in tables before they were partitioned is found in them afterwards. */

const server = process.env['TEST_DATABASE_URL']!
const name = `partition_rows_${randomBytes(4).toString('hex')}`
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
const folder = new URL('../../migrations/', import.meta.url)

async function withClient<T>(address: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const query = async <Row>(text: string): Promise<Row[]> =>
  await withClient(url, async (client) => (await client.query(text)).rows as Row[])

before(async () => {
  await withClient(server, (client) => client.query(`create database ${name}`))
  await withClient(url, async (client) => {
    await client.query(
      'create table migrations (name text primary key, applied_at timestamptz default now())',
    )
    for (const file of readdirSync(folder).sort()) {
      if (file >= '0054') break
      await client.query(readFileSync(new URL(file, folder), 'utf8'))
      await client.query('insert into migrations (name) values ($1)', [file])
    }
  })
})
after(() => withClient(server, (client) => client.query(`drop database ${name} with (force)`)))

test('rows stay, an event keeps its one delivery, and the feed goes on behind the last event', async () => {
  await query(`
    insert into organizations (id, name, tier, settings)
    values ('00000000-0000-4000-8000-000000000001', 'Old', 'free', '{}');
    insert into webhook_endpoints (org_id, url, event_types, secret)
    select id, 'https://partner.example', '{*}', '' from organizations;
    insert into events (org_id, type, data, occurred_at)
    select id, 'unit.updated', '{}', now() - interval '100 days' * n from organizations, generate_series(0, 2) n;
    insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_type, next_attempt_at)
    select event.org_id, endpoint.id, event.id, event.type, now()
    from events event join webhook_endpoints endpoint on endpoint.org_id = event.org_id;
    insert into idempotency_keys (org_id, operation, key, fingerprint, status, headers, body)
    select id, 'POST /x', 'one', '', 201, '{}', '' from organizations;
    insert into sync_audit (org_id, action, actor, created_at)
    select id, 'sync.completed', '{}', now() - interval '3 years' from organizations;
    insert into accounts (org_id, name) select id, 'One' from organizations;
    insert into channel_targets (org_id, account_id, channel_type, name, config)
    select org_id, id, 'pms', 'One', '{}' from accounts;
    insert into webhook_messages (org_id, account_id, channel_target_id, source, kind, message_id, body, signed)
    select org_id, account_id, id, 'generic', 'ping', 'one', '{}', true from channel_targets`)
  const read = `
    select event.id, event.position, event.occurred_at, delivery.id as delivery_id, delivery.json
    from events event join webhook_deliveries delivery on delivery.event_id = event.id
    order by event.position`
  const rows = await query<{ occurred_at: Date }>(read)
  assert.equal(rows.length, 3)
  const { applied } = await migrate(url)
  assert.ok(applied.some((file) => file.startsWith('0055')))
  assert.deepEqual(await query(read), rows)
  assert.deepEqual(
    (await query<{ at: Date }>('select event_occurred_at as at from webhook_deliveries order by 1 desc')).map(
      ({ at }) => at,
    ),
    rows.map(({ occurred_at }) => occurred_at),
  )
  for (const table of ['idempotency_keys', 'sync_audit', 'webhook_messages'])
    assert.equal((await query(`select from ${table}`)).length, 1, table)
  const again = `
    insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, next_attempt_at)
    select event.org_id, endpoint.id, event.id, event.occurred_at, event.type, now()
    from events event join webhook_endpoints endpoint on endpoint.org_id = event.org_id
    on conflict (org_id, webhook_endpoint_id, event_id, event_occurred_at) do nothing
    returning id`
  assert.deepEqual(await query(again), [])
  const [added] = await query<{ is_later: boolean }>(`
    with added as (insert into events (org_id, type, data) select id, 'unit.updated', '{}' from organizations returning position)
    select added.position > (select max(position) from events) as is_later from added`)
  assert.deepEqual(added, { is_later: true })
})
