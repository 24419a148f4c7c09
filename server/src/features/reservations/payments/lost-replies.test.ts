import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectStatus } from '#test/expect.ts'
import { startTestProcess } from '#test/test-process.ts'
import { addStay, askFor, atProvider, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { wrongClock } from '#test/wrong-clock.ts'

/** Calls with an unknown outcome, and workers that are killed during a call, have exactly one effect. */

const secretKeys = `test:${randomBytes(32).toString('base64')}`
const { world, owner } = shareWorld({ env: { SECRET_KEYS: secretKeys } })

afterEach(() => atProvider(world, 'DELETE', 'faults'))

const startWorker = (env: Record<string, string> = {}) =>
  startTestProcess('worker', {
    ...env,
    DATABASE_URL: world.config.database.url,
    OIDC_ISSUER: world.config.identity.issuer,
    OIDC_AUDIENCE: world.config.identity.audience,
    SECRET_KEYS: secretKeys,
    GENERIC_PMS_URL: world.pms.url,
    PAYMENTS_URL: world.payments.url,
    PAYMENTS_API_KEY: 'sk_test_world',
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'silent',
  })

const opened = (intent: { id: string }) =>
  until(
    () => intentOf(owner, intent),
    ({ client_secret }) => client_secret !== null,
    90,
  )
const status = (intent: { id: string }, wanted: string) =>
  until(
    () => intentOf(owner, intent),
    (seen) => seen.status === wanted,
    90,
  )
const callsOf = async (name: string) =>
  (await atProvider(world, 'GET', 'calls')).calls.filter(
    (call: { property: string }) => call.property === name,
  )

test('replies lost on the way: one payment each, and one refund', async () => {
  await using _worker = await startWorker()
  const unitId = (await addUnit(owner, { quantity: 100 })).id
  await atProvider(world, 'PUT', 'faults', { mode: 'lose_reply', times: 60 })
  const asked = await Promise.all(
    Array.from({ length: 20 }, async () => askFor(owner, await addStay(owner, { unitId }))),
  )
  const intents = await Promise.all(asked.map(opened))
  for (const intent of intents) {
    assert.equal((await ledgerOf(world, intent)).opened.length, 1)
    await pay(world, intent)
  }
  await Promise.all(intents.map((intent) => status(intent, 'succeeded')))
  await atProvider(world, 'PUT', 'faults', { mode: 'lose_reply', times: 60 })
  for (const { id } of intents)
    expectStatus(await owner.post(`/api/v1/payment-intents/${id}/refunds`, { amount: 7_000 }), 201)
  for (const { id } of intents)
    await until(
      async () => (await owner.get(`/api/v1/refunds?payment_intent_id=${id}`)).body.refunds,
      ([refund]) => refund.status === 'succeeded',
      90,
    )
  for (const intent of intents) {
    const { refunds } = await ledgerOf(world, intent)
    assert.deepEqual(
      refunds.map(({ amount }: { amount: number }) => amount),
      [7_000],
    )
  }
})

test('finds the payment of a killed worker', async () => {
  await using first = await startWorker()
  await atProvider(world, 'PUT', 'faults', {
    mode: 'slow',
    delay_ms: 9_000,
    property: 'POST /v1/payment_intents',
    times: 1,
  })
  const before = (await callsOf('POST /v1/payment_intents')).length
  const asking = askFor(owner, await addStay(owner))
  await until(
    () => callsOf('POST /v1/payment_intents'),
    (calls) => calls.length > before,
  )
  await first.kill('SIGKILL')
  await atProvider(world, 'DELETE', 'faults')
  const asked = await asking
  await until(
    () => ledgerOf(world, asked),
    (ledger) => ledger.opened.length === 1,
  )
  assert.equal((await intentOf(owner, asked)).client_secret, null)
  await using second = await startWorker()
  const intent = await opened(asked)
  assert.equal((await ledgerOf(world, intent)).opened.length, 1)

  await pay(world, intent)
  await status(intent, 'succeeded')
  await atProvider(world, 'PUT', 'faults', {
    mode: 'slow',
    delay_ms: 9_000,
    property: 'POST /v1/refunds',
    times: 1,
  })
  const refundsBefore = (await callsOf('POST /v1/refunds')).length
  expectStatus(await owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, {}), 201)
  await until(
    () => callsOf('POST /v1/refunds'),
    (calls) => calls.length > refundsBefore,
  )
  await second.kill('SIGKILL')
  await atProvider(world, 'DELETE', 'faults')
  await using _third = await startWorker()
  await until(
    async () => (await owner.get(`/api/v1/refunds?payment_intent_id=${intent.id}`)).body.refunds,
    ([refund]) => refund.status === 'succeeded',
    90,
  )
  assert.equal((await ledgerOf(world, intent)).refunds.length, 1)
  assert.equal((await intentOf(owner, intent)).amount_refunded, 20_000)
})

test('a worker whose clock is two hours ahead reads a new payment again as soon as another one', async () => {
  await using _worker = await startWorker(wrongClock(world, 2 * 3_600_000))
  const { id } = await opened(await askFor(owner, await addStay(owner)))
  const [row] = await runSql(
    world,
    sql<{ seconds: number }>`
      select extract(epoch from next_attempt_at - seen_at)::float8 as seconds from payment_intents where id = ${id}`,
  )
  assert.ok(row!.seconds < 120, `after ${row!.seconds} s`)
})

test('a failure that the provider keeps under a key does not stop a payment, nor double it', async () => {
  await using _worker = await startWorker()
  await atProvider(world, 'PUT', 'faults', { mode: 'refuse', status: 500, code: 'kept', times: 1 })
  const intent = await opened(await askFor(owner, await addStay(owner)))
  assert.equal((await ledgerOf(world, intent)).opened.length, 1)
})

test('creates the payment when the provider is available again', async () => {
  await using _worker = await startWorker()
  await atProvider(world, 'PUT', 'faults', { mode: 'down' })
  const asked = await askFor(owner, await addStay(owner))
  assert.deepEqual(
    [asked.status, asked.client_secret, asked.provider_reference],
    ['requires_payment_method', null, null],
  )
  const gone = expectStatus(await owner.get('/health'), 200)
  assert.equal(gone.checks.payments, 'unhealthy')
  await atProvider(world, 'DELETE', 'faults')
  await opened(asked)
})
