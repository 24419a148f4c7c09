import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { openPayments, type Body } from '../../test/payments-caller.ts'
import { listen, stopListening } from '../../test/listen.ts'
import { signature } from './deliveries.ts'

let payments: Awaited<ReturnType<typeof openPayments>>
before(async () => (payments = await openPayments()))
after(() => payments.close())

suite('idempotency keys', () => {
  const key = (name: string) => ({ 'idempotency-key': name })

  test('a repeated key gets the first answer, marked as a replay', async () => {
    const first = await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', key('a'))
    const again = await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', key('a'))
    assert.equal(again.body.id, first.body.id)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const other = await payments.post('/v1/payment_intents', 'amount=2001&currency=usd', key('a'))
    assert.deepEqual([other.status, other.body.error.type], [400, 'idempotency_error'])
  })

  test('a second request during the first is 409; a validation error is not kept, a later failure is', async () => {
    await payments.control('PUT', 'faults', { mode: 'slow', delay_ms: 60_000, times: 1 })
    const slow = payments.post('/v1/payment_intents', 'amount=2000&currency=usd', key('b'))
    while (!(await payments.control('GET', 'calls')).calls.some((call: Body) => call.fault === 'slow'))
      continue
    const second = await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', key('b'))
    assert.deepEqual([second.status, second.body.error.code], [409, 'idempotency_key_in_use'])
    await payments.control('DELETE', 'faults')
    assert.equal((await slow).status, 200)
    assert.equal((await payments.post('/v1/payment_intents', 'amount=1&currency=usd', key('c'))).status, 400)
    assert.equal(
      (await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', key('c'))).status,
      200,
    )
    await payments.control('PUT', 'faults', { mode: 'refuse', status: 500, code: 'kept', times: 1 })
    for (let n = 0; n < 2; n += 1)
      assert.equal(
        (await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', key('d'))).status,
        500,
      )
  })

  test('a call with a lost reply takes effect', async () => {
    await payments.control('PUT', 'faults', { mode: 'lose_reply', times: 1 })
    await assert.rejects(payments.post('/v1/payment_intents', 'amount=7777&currency=usd', key('e')))
    const again = await payments.post('/v1/payment_intents', 'amount=7777&currency=usd', key('e'))
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const { payment_intents } = await payments.control('GET', 'ledger')
    assert.equal(payment_intents.filter((one: Body) => one.amount === 7777).length, 1)
  })
})

test('a list is filtered by time and paged, newest first', async () => {
  const since = Math.floor(Date.now() / 1_000)
  const ids = [(await payments.make()).id, (await payments.make()).id]
  const { data, has_more } = (await payments.get(`/v1/payment_intents?created[gte]=${since}&limit=1`)).body
  assert.deepEqual([data[0].id, has_more], [ids[1], true])
  const next = (
    await payments.get(`/v1/payment_intents?created[gte]=${since}&limit=1&starting_after=${ids[1]}`)
  ).body
  assert.equal(next.data[0].id, ids[0])
})

test('events are signed, retried, copied, and released in another order', async () => {
  const seen: { type: string; isSigned: boolean }[] = []
  let failures = 1
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const given = String(req.headers['stripe-signature'])
      const isSigned = given === signature(body, 'whsec_1', Number(/t=(\d+)/.exec(given)![1]))
      seen.push({ type: JSON.parse(body).type, isSigned })
      res.writeHead(failures-- > 0 ? 500 : 200).end()
      server.emit('seen')
    })
  })
  const url = await listen(server, {})
  try {
    await payments.control('PUT', 'webhooks', { url, secret: 'whsec_1' })
    await payments.make()
    while (seen.length < 2) await once(server, 'seen')
    assert.deepEqual(seen, [
      { type: 'payment_intent.created', isSigned: true },
      { type: 'payment_intent.created', isSigned: true },
    ])
    seen.length = 0
    await payments.control('PUT', 'webhooks', { copies: 2, hold: true })
    const { id } = await payments.make()
    await payments.confirm(id, 'pm_card_visa')
    const { held } = await payments.control('GET', 'webhooks')
    assert.equal(held, 6)
    await payments.control('POST', 'webhooks/release', { order: 'reversed' })
    assert.equal(seen.length, 6)
  } finally {
    await payments.control('PUT', 'webhooks', { url: null, copies: 1, hold: false })
    await stopListening(server)
  }
})

test('a control request that cannot be read is rejected, and nothing of it is done', async () => {
  const payment = {
    ...{ id: 'pi_past', amount: 2_000, currency: 'eur', created: 1_700_000_000, metadata: {}, is_paid: true },
    refunds: [{ id: 're_past', amount: 500, created: 1_700_000_000, metadata: {} }],
  }
  for (const [method, path, body] of [
    ['PUT', 'webhooks', { copies: 1_000_000 }],
    ['POST', 'ledger', {}],
    ['POST', 'ledger', { payments: [payment, null] }],
    ['POST', 'ledger', { payments: [payment, { ...payment, refunds: undefined }] }],
    ['POST', 'ledger', { payments: [payment, { ...payment, refunds: [null] }] }],
    ['POST', 'ledger', { payments: [payment, { ...payment, currency: 7 }] }],
    ['POST', 'ledger', { payments: [payment, { ...payment, amount: -1 }] }],
  ] as const)
    assert.equal((await payments.control(method, path, body)).error?.type, 'invalid_request_error', path)
  const ids = async () => (await payments.control('GET', 'ledger')).payment_intents.map(({ id }: Body) => id)
  assert.ok(!(await ids()).includes(payment.id))
  await payments.control('POST', 'ledger', { payments: [payment] })
  assert.ok((await ids()).includes(payment.id))
})

test('with a home, all state survives a restart', async () => {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-payments-'))
  const first = payments
  try {
    payments = await openPayments({ home })
    const { body } = await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', {
      'idempotency-key': 'k',
    })
    await payments.close()
    payments = await openPayments({ home })
    const again = await payments.post('/v1/payment_intents', 'amount=2000&currency=usd', {
      'idempotency-key': 'k',
    })
    assert.equal(again.body.id, body.id)
    assert.equal((await payments.confirm(body.id, 'pm_card_visa')).body.status, 'succeeded')
    await payments.close()
  } finally {
    payments = first
    rmSync(home, { recursive: true, force: true })
  }
})
