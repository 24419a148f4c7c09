import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { deleteExpired } from './delete-expired.ts'

const { world, owner } = shareWorld()
let database: Database
before(() => {
  database = openOwner(world.databaseUrl)
})
after(() => database.close())

const asOwner = async <Row>(statement: Statement<Row>): Promise<Row[]> =>
  (await database.pipelined({ orgId: null }, [statement]))[0]
const asApp = async <Row>(statement: Statement<Row>): Promise<Row[]> =>
  (await world.resources.database.pipelined({ orgId: world.home.id }, [statement]))[0]
const maintain = () => deleteExpired(world.resources.database, { notificationDays: 90 })
const endsOf = async (table: string) =>
  (
    await asOwner(sql<{ name: string; ends_at: string }>`
      select name::text, ends_at from partitions_of(${table}::regclass) order by ends_at`)
  ).map(({ name, ends_at }) => ({ name, endsAt: new Date(ends_at) }))
const gaugeOf = async (name: string, table: string) => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Number(new RegExp(`${name}\\{table="${table}"\\} (.+)`).exec(text)?.[1])
}
const tables = ['events', 'idempotency_keys', 'sync_audit', 'webhook_deliveries', 'webhook_messages']

suite('partitions', () => {
  for (const table of tables)
    test(`of ${table} are made ahead of time, and are reached through the table only`, async () => {
      // On the last day of a year, the first partition of a table with one for each year reaches far enough.
      await asOwner(sql`update partitioned_tables set ahead = ahead + 1 where name = ${table}`)
      await maintain()
      const partitions = await endsOf(table)
      assert.ok(partitions.length > 1)
      await asOwner(sql`drop table ${sql.raw(partitions.at(-1)!.name)}`)
      assert.equal((await endsOf(table)).length, partitions.length - 1)
      await maintain()
      assert.deepEqual(await endsOf(table), partitions)
      for (const { name } of partitions) {
        await assert.rejects(asApp(sql`select from ${sql.raw(name)}`), { code: '42501' })
        const [state] = await asOwner(
          sql`select relrowsecurity and relforcerowsecurity as is_forced, 
              has_any_column_privilege('vacancy_app', oid, 'select, insert, update') as is_granted
            from pg_class where oid = ${name}::regclass`,
        )
        assert.deepEqual(state, { is_forced: true, is_granted: false })
      }
    })

  test('tell how many days they reach ahead', async () => {
    for (const table of tables) {
      const endsAt = (await endsOf(table)).at(-1)!.endsAt
      const days = (endsAt.getTime() - Date.now()) / 86_400_000
      const shown = await until(
        async () => (await gaugeOf('vacancy_partitions_ahead_seconds', table)) / 86_400,
        (value) => value > 0,
      )
      assert.ok(Math.abs(shown - days) < 0.1, `${table}: ${shown}`)
      assert.ok(shown > 7, 'or the alert would be on')
    }
  })
})

suite('a partition past its time', () => {
  const add = async (at: Date) => {
    const [event] = await asApp(sql<{ id: string }>`
      insert into events (org_id, type, data, occurred_at)
      values (${world.home.id}, 'unit.updated', '{}', ${at.toISOString()}::timestamptz)
      returning id`)
    return event!.id
  }
  const read = async (id: string) => (await owner.get(`/api/v1/events/${id}`)).status

  test('is dropped with its rows as soon as no transaction reads it, and no other is', async () => {
    const [first, second] = await endsOf('events')
    const old = await add(new Date(first!.endsAt.getTime() - 1))
    const later = await add(first!.endsAt)
    await maintain()
    assert.deepEqual([await read(old), await read(later)], [200, 200])
    await asOwner(sql`update partitioned_tables
      set kept_for = now() - ${first!.endsAt.toISOString()}::timestamptz
      where name in ('events', 'webhook_deliveries')`)
    await world.resources.database.transaction({ orgId: world.home.id }, async ({ run }) => {
      await run(sql`select from events limit 1`)
      assert.equal((await maintain())['partitions'], 1, 'that of the deliveries')
      assert.equal(await read(old), 200)
      assert.equal(
        await until(
          () => gaugeOf('vacancy_expired_partitions', 'events'),
          (value) => value > 0,
        ),
        1,
      )
    })
    assert.equal((await maintain())['partitions'], 1)
    assert.deepEqual([await read(old), await read(later)], [404, 200])
    assert.equal((await endsOf('events'))[0]!.name, second!.name)
    expectStatus(await owner.get('/api/v1/events'), 200)
  })
})
