import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { signature } from '../../../../../sandbox/src/payments/deliveries.ts'
import type { TestCaller } from '#test/caller.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addStay, askFor, atProvider, intentOf, pay, settledIntent } from '#test/payments.ts'
import { addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import type { World } from '#test/world.ts'
import { requeueOverduePayments } from './jobs.ts'

/** Webhooks of the provider: duplicated, in any order, lost, or forged. */

const { world, owner } = shareWorld({ workers: true })
let stranger: TestCaller

before(async () => (stranger = world.caller(null)))

const eventTypesOf = async (subject: { id: string }): Promise<string[]> =>
  (await eventsOf(world, owner, subject)).map(({ type }: { type: string }) => type)

const run = async (statement: Parameters<World['resources']['database']['pipelined']>[1][number]) =>
  (await world.resources.database.pipelined({ orgId: world.home.id }, [statement]))[0] as Record<
    string,
    unknown
  >[]

for (const order of ['given', 'reversed', 'shuffled'])
  test(`five copies each, ${order}: the same result, with one event`, async () => {
    const unitId = (await addUnit(owner, { quantity: 20 })).id
    const intents = await Promise.all(
      Array.from({ length: 12 }, async () => askFor(owner, await addStay(owner, { unitId }))),
    )
    await world.settled()
    await atProvider(world, 'PUT', 'webhooks', { copies: 5, hold: true })
    for (const intent of intents) {
      await pay(world, intent, 'pm_card_chargeDeclined')
      await pay(world, intent)
    }
    const { held } = await atProvider(world, 'GET', 'webhooks')
    assert.equal(held, intents.length * 3 * 5)
    const { attempts } = await atProvider(world, 'POST', 'webhooks/release', { order })
    await atProvider(world, 'PUT', 'webhooks', { copies: 1, hold: false })
    assert.deepEqual([...new Set(attempts.map(({ status }: { status: number }) => status))], [200])
    await world.settled()
    for (const intent of intents) {
      const seen = await intentOf(owner, intent)
      assert.deepEqual([seen.status, seen.amount_received], ['succeeded', 20_000])
      assert.deepEqual(await eventTypesOf(intent), ['payment.succeeded'])
    }
    const kept = await run(
      sql`select distinct copies from payment_notices where type <> 'payment_intent.created' and copies > 1`,
    )
    assert.deepEqual(kept, [{ copies: 5 }])
  })

test('reports the payment before its refund when both are read at once', async () => {
  const intent = await askFor(owner, await addStay(owner))
  await world.settled()
  await atProvider(world, 'PUT', 'webhooks', { hold: true })
  const { id: reference } = await pay(world, intent)
  const answer = await fetch(`${world.payments.url}/v1/refunds`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk_test_dashboard',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ payment_intent: reference, amount: '7000' }).toString(),
  })
  assert.equal(answer.status, 200)
  await atProvider(world, 'POST', 'webhooks/release', { order: 'given' })
  await atProvider(world, 'PUT', 'webhooks', { hold: false })
  await world.settled()
  assert.equal((await intentOf(owner, intent)).amount_refunded, 7_000)
  assert.deepEqual(await eventTypesOf(intent), ['payment.succeeded', 'payment.refunded'])
})

test('polls the payment without a notice', async () => {
  const intent = await askFor(owner, await addStay(owner))
  await world.settled()
  await atProvider(world, 'PUT', 'webhooks', { hold: true })
  await pay(world, intent)
  assert.equal((await intentOf(owner, intent)).status, 'requires_payment_method')
  await run(
    sql`update payment_intents set next_attempt_at = now() - interval '1 hour' where id = ${intent.id}`,
  )
  const { database } = world.resources
  // The scheduler of the workers may be faster.
  await requeueOverduePayments({ database })
  await until(
    () => intentOf(owner, intent),
    ({ status }) => status === 'succeeded',
  )
  await world.settled()
  assert.equal(await requeueOverduePayments({ database }), 0)
  await atProvider(world, 'POST', 'webhooks/release', { order: 'given' })
  await atProvider(world, 'PUT', 'webhooks', { hold: false })
})

test('polls an open payment each minute at first, and each hour later', async () => {
  const intent = await askFor(owner, await addStay(owner))
  await world.settled()
  const secondsToNextPoll = async (hours: number) => {
    await run(
      sql`update payment_intents
        set created_at = now() - make_interval(hours => ${hours}::int),
          next_attempt_at = now() - interval '1 hour'
        where id = ${intent.id}`,
    )
    await requeueOverduePayments({ database: world.resources.database })
    await world.settled()
    const [row] = await run(
      sql`select extract(epoch from next_attempt_at - seen_at)::int as seconds from payment_intents
        where id = ${intent.id}`,
    )
    return (row as { seconds: number }).seconds
  }
  const polls = [await secondsToNextPoll(0), await secondsToNextPoll(5), await secondsToNextPoll(100)]
  assert.deepEqual(
    polls.map((seconds) => Math.floor(seconds / 60)),
    [1, 30, 60],
  )
})

suite('forged notices', () => {
  const send = (body: string, headers: Record<string, string>) =>
    stranger.send('POST', '/webhooks/payments', {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const eventOf = (object: object) =>
    JSON.stringify({
      id: `evt_${randomUUID()}`,
      object: 'event',
      type: 'payment_intent.succeeded',
      created: Math.floor(Date.now() / 1_000),
      data: { object: { object: 'payment_intent', ...object } },
    })

  test('is not believed', async () => {
    const intent = await settledIntent(owner, await askFor(owner, await addStay(owner)))
    await world.settled()
    const body = eventOf({ id: intent.provider_reference, status: 'succeeded', amount_received: 20_000 })
    for (const header of [undefined, '', 't=1,v1=00', signature(body, 'whsec_other')])
      expectProblem(
        await send(body, header === undefined ? {} : { 'stripe-signature': header }),
        401,
        'invalid-signature',
      )
    const none = await run(sql`select 1 as one from payment_notices where payment_intent_id = ${intent.id}
      and type = 'payment_intent.succeeded'`)
    assert.deepEqual(none, [])
  })

  test('signed notices with false content change nothing', async () => {
    const intent = await settledIntent(owner, await askFor(owner, await addStay(owner)))
    const body = eventOf({ id: intent.provider_reference, status: 'succeeded', amount_received: 20_000 })
    const answer = await send(body, { 'stripe-signature': signature(body, 'whsec_world') })
    assert.deepEqual(expectStatus(answer, 200), { received: true })
    await world.settled()
    assert.equal((await intentOf(owner, intent)).status, 'requires_payment_method')
  })

  test('notices about unknown payments are answered and ignored', async () => {
    for (const object of [
      { id: 'pi_of_another_product' },
      { id: 7, metadata: { payment_intent_id: 'no uuid' } },
      { object: 'customer', id: 'cus_1' },
    ]) {
      const body = eventOf(object)
      expectStatus(await send(body, { 'stripe-signature': signature(body, 'whsec_world') }), 200)
    }
  })
})
