import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from './sql.ts'
import { Unavailable } from '#errors.ts'
import { asOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addSpace } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { limitTransactions } from './limit-transactions.ts'

const { world, owner, stranger } = shareWorld()

test('changes that wait for a lock leave connections to reads, and to other organizations', async () => {
  const { id } = await addSpace(owner)
  const { database } = world.resources
  let changes: Promise<unknown>[] = []
  await asOwner(world.config, async (connection) => {
    await connection.run(sql`select 1 from spaces where id = ${id} for update`)
    changes = Array.from({ length: world.config.database.poolSize + 2 }, async (_, at) =>
      expectStatus(await owner.patch(`/api/v1/spaces/${id}`, { name: `Name ${at}` }), 200),
    )
    await until(
      async () => database.stats().waiting,
      (waiting) => waiting > 0,
    )
    expectStatus(await owner.get(`/api/v1/spaces/${id}`), 200)
    await addSpace(stranger)
  })
  await Promise.all(changes)
  assert.equal(database.stats().waiting, 0)
})

test('a change that waits too long for its turn is rejected, and takes none', async () => {
  const limited = limitTransactions(world.resources.database, { maxPerOrg: 1, maxWaitMs: 1 })
  const context = { orgId: randomUUID() }
  await limited.transaction(context, async () => {
    await assert.rejects(
      limited.transaction(context, async () => {}),
      Unavailable,
    )
  })
  assert.equal(await limited.transaction(context, async () => 'run'), 'run')
})

test('while the database does not respond, changes that wait for their turn are rejected with the others', async () => {
  const limited = limitTransactions(world.resources.database, { maxPerOrg: 1, maxWaitMs: 60_000 })
  const context = { orgId: randomUUID() }
  const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' })
  const changes = [0, 1, 2].map((at) =>
    limited.transaction(context, async () => {
      if (at === 0) throw lost
    }),
  )
  for (const change of changes) await assert.rejects(change, lost)
  assert.equal(await limited.transaction(context, async () => 'run'), 'run')
})
