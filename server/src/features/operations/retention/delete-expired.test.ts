import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import type { World } from '#test/world.ts'
import { deleteExpired } from './delete-expired.ts'

const { world } = shareWorld()

const asOwner = async (statement: Parameters<World['resources']['database']['pipelined']>[1][number]) => {
  const owner = openOwner(world.config.database.ownerUrl)
  try {
    return (await owner.pipelined({ orgId: null }, [statement]))[0] as Record<string, unknown>[]
  } finally {
    await owner.close()
  }
}

const addKeys = (count: number, age: string) =>
  asOwner(sql`insert into idempotency_keys (org_id, operation, key, fingerprint, status, headers, body, created_at)
    select ${world.home.id}, 'POST /x', ${age} || n, '', 201, '{}', '', now() - ${age}::interval
    from generate_series(1, ${count}) n`)
const keysLeft = async () =>
  (await asOwner(sql`select count(*)::int as count from idempotency_keys where operation = 'POST /x'`))[0]?.[
    'count'
  ]
const backlog = async () => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Number(/vacancy_expired_rows\{table="idempotency_keys"\} (\d+)/.exec(text)?.[1])
}

test('deletes all expired rows in one run of any number of batches, and no others', async () => {
  await addKeys(25_000, '25 hours')
  await addKeys(10, '23 hours')
  assert.equal(await until(backlog, (rows) => rows > 0), 10_000, 'it is counted up to 10,000')
  const deleted = await deleteExpired(world.resources.database, { notificationDays: 90 })
  assert.equal(deleted['idempotency_keys'], 25_000)
  assert.equal(await keysLeft(), 10)
  assert.equal(await until(backlog, (rows) => rows === 0), 0)
})

test('ends when it is aborted', async () => {
  await addKeys(30, '25 hours')
  const deleted = await deleteExpired(world.resources.database, { notificationDays: 90 }, AbortSignal.abort())
  assert.equal(deleted['idempotency_keys'], 0)
  assert.equal(await keysLeft(), 40)
})
