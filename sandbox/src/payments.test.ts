import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPayments } from './payments.ts'

let payments: Awaited<ReturnType<typeof startPayments>>
before(async () => (payments = await startPayments()))
after(() => payments.close())

async function get(path: string, authorization?: string) {
  const res = await fetch(payments.url + path, { headers: authorization ? { authorization } : {} })
  const body = (await res.json()) as { object?: string; available?: object[]; error: { type: string } }
  return { status: res.status, headers: res.headers, body }
}

test('health needs no key', async () => {
  assert.deepEqual((await get('/health')).body, { status: 'ok' })
})

test('the balance is empty, and needs a test key', async () => {
  const { status, headers, body } = await get('/v1/balance', 'Bearer sk_test_1')
  assert.equal(status, 200)
  assert.ok(headers.get('x-request-id'))
  assert.equal(body.object, 'balance')
  assert.deepEqual(body.available, [{ amount: 0, currency: 'usd', source_types: { card: 0 } }])
  for (const key of [undefined, 'Bearer sk_live_1', 'Bearer sk_test_']) {
    const refused = await get('/v1/balance', key)
    assert.equal(refused.status, 401)
    assert.equal(refused.body.error.type, 'invalid_request_error')
  }
})

test('anything else is 404', async () => {
  assert.equal((await get('/v1/charges', 'Bearer sk_test_1')).status, 404)
})
