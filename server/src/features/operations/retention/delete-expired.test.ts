import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/sql.ts'
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

const addTokens = (count: number, expiredFor: string) =>
  asOwner(sql`insert into revoked_tokens (token_hash, expires_at)
    select sha256(convert_to(${expiredFor} || n, 'UTF8')), now() - ${expiredFor}::interval
    from generate_series(1, ${count}) n`)
const tokensLeft = async () =>
  (await asOwner(sql`select count(*)::int as count from revoked_tokens`))[0]?.['count']
const backlog = async () => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Number(/vacancy_expired_rows\{table="revoked_tokens"\} (\d+)/.exec(text)?.[1])
}

test('deletes all expired rows in one run of any number of batches, and no others', async () => {
  await addTokens(25_000, '1 hour')
  await addTokens(10, '-1 hour')
  assert.equal(await until(backlog, (rows) => rows > 0), 10_000, 'it is counted up to 10,000')
  const deleted = await deleteExpired(world.resources.database, { notificationDays: 90 })
  assert.equal(deleted['revoked_tokens'], 25_000)
  assert.equal(await tokensLeft(), 10)
  assert.equal(await until(backlog, (rows) => rows === 0), 0)
})

test('ends when it is aborted', async () => {
  await addTokens(30, '2 hours')
  const deleted = await deleteExpired(world.resources.database, { notificationDays: 90 }, AbortSignal.abort())
  assert.equal(deleted['revoked_tokens'], 0)
  assert.equal(await tokensLeft(), 40)
})

test('counts the rows of every table that it deletes rows of', async () => {
  const { partitions: _, ...deleted } = await deleteExpired(world.resources.database, {
    notificationDays: 90,
  })
  const counted = await asOwner(sql`select kind from expired_rows(90)`)
  assert.deepEqual(counted.map(({ kind }) => kind).sort(), Object.keys(deleted).sort())
})

test('a deletion that fails does not stop those of other tables, and is reported', async () => {
  await addTokens(5, '3 hours')
  await asOwner(sql`alter function drop_partition() rename to drop_partition_before`)
  try {
    await assert.rejects(deleteExpired(world.resources.database, { notificationDays: 90 }), /: partitions\.$/)
  } finally {
    await asOwner(sql`alter function drop_partition_before() rename to drop_partition`)
  }
  const left = await asOwner(sql`select 1 from revoked_tokens where expires_at < now()`)
  assert.deepEqual(left, [])
})
