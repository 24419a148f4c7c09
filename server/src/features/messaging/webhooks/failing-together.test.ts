import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import type { TestCaller } from '#test/caller.ts'
import { addSpace } from '#test/records.ts'
import { addEndpoint, deliveriesOf } from '#test/webhook-receiver.ts'
import { shareWorld } from '#test/share-world.ts'
import { createDeliveries } from './create-deliveries.ts'
import { claimDeliveries, saveDeliveryResult, claimEndpoint } from './send-queries.ts'

/** Attempts that fail together while new events are recorded cause no deadlock. */

const { world } = shareWorld()
let caller: TestCaller
let scope: Scope

before(async () => {
  caller = await world.home.as('owner')
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
})

/** A transaction that is not repeated after a deadlock. */
const inTransaction = <T>(work: (transaction: Transaction) => Promise<T>) =>
  scope.database.transaction({ orgId: scope.orgId }, (connection) => work({ ...scope, connection }))

/** An endpoint with deliveries that are due, without a worker. */
async function endpointWithDeliveries(count: number) {
  const endpoint = await addEndpoint(caller, 'https://partner.example/x', { event_types: ['space.created'] })
  for (let n = 0; n < count; n++) await addSpace(caller)
  const events = await rows(
    scope,
    sql<{
      id: string
    }>`select id from events where type = 'space.created' order by occurred_at desc limit ${count}`,
  )
  for (const { id } of events) await createDeliveries(scope, id)
  return endpoint
}

const failure = {
  outcome: 'failed',
  status: 500,
  body: null,
  error: 'no',
  timedOut: false,
  durationMs: 1,
  retryAfterMs: null,
} as const

suite('endpoints that fail together', () => {
  test('save the results of eight attempts at once without a deadlock', async () => {
    const { id, url } = await endpointWithDeliveries(8)
    const claimed = await claimEight(id)
    let isOver = false
    const references = [1, 2].map(async () => {
      while (!isOver)
        await inTransaction((transaction) =>
          rows(transaction, sql`select 1 from webhook_endpoints where id = ${id} for key share`),
        )
    })
    const attempts = claimed.map(async (delivery) => {
      for (let n = 0; n < 100; n++)
        await inTransaction((transaction) =>
          saveDeliveryResult(transaction, { id, url }, delivery, failure, 0),
        )
    })
    await Promise.all(attempts).finally(() => (isOver = true))
    await Promise.all(references)
    const deliveries = await deliveriesOf(caller, { id })
    assert.deepEqual(new Set(deliveries.map(({ response_status }) => response_status)), new Set([500]))
  })

  test('a job that was interrupted claims its endpoint again, and no other job does', async () => {
    const { id } = await endpointWithDeliveries(1)
    const [interrupted, other] = [randomUUID(), randomUUID()]
    const claimBy = async (job: string) => (await claimEndpoint(scope, id, job))?.id
    assert.deepEqual([await claimBy(interrupted), await claimBy(other)], [id, undefined])
    assert.equal(await claimBy(interrupted), id)
  })
})

async function claimEight(id: string) {
  const run = randomUUID()
  await claimEndpoint(scope, id, run)
  const claimed = await claimDeliveries(scope, id, run, 8)
  assert.equal(claimed.length, 8)
  return claimed
}
