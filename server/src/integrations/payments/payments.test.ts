import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, suite, test } from 'node:test'
import { signature } from '../../../../sandbox/src/payments/deliveries.ts'
import { openPayments } from '../../../../sandbox/test/payments-caller.ts'
import { PaymentsFailure, type PaymentsFailureCode } from './payments-failure.ts'
import { UntrustedEvent, type Payments, type NewPayment } from './payments.ts'
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.ts'
import { stripePayments } from './stripe-payments.ts'

/** Tests the port with the sandbox's implementation of Stripe. */

let provider: Awaited<ReturnType<typeof openPayments>>
let payments: Payments
const secrets = ['whsec_new', 'whsec_old']
const context = { traceparent: null }

before(async () => {
  provider = await openPayments()
  payments = stripePayments({ url: provider.url, apiKey: 'sk_test_1', webhookSecrets: secrets })
})
after(() => provider.close())
beforeEach(() => provider.control('DELETE', 'faults'))

const newPayment = (fields: Partial<NewPayment> = {}): NewPayment => ({
  ourId: randomUUID(),
  orgId: randomUUID(),
  bookingId: randomUUID(),
  amount: 2_000,
  currency: 'usd',
  captureMethod: 'automatic',
  requestedAt: new Date(),
  ...fields,
})
const create = async (fields: Partial<NewPayment> = {}) => {
  const one = newPayment(fields)
  return { ...one, ...(await payments.open(one, one.ourId, context)) }
}
const pay = (reference: string, payment_method = 'pm_card_visa') =>
  provider.control('POST', 'pay', { payment_intent: reference, payment_method })
const refundOf = ({ reference, orgId }: { reference: string; orgId: string }, amount: number) => ({
  ourId: randomUUID(),
  orgId,
  reference,
  amount,
  currency: 'usd',
  reason: 'requested_by_guest' as const,
})
const failsWith = (code: PaymentsFailureCode, reason?: string) => (error: unknown) => {
  assert.ok(error instanceof PaymentsFailure, String(error))
  assert.equal(error.code, code)
  if (reason !== undefined) assert.equal(error.reason, reason)
  return true
}

suite('payments', () => {
  test('finds a paid payment by the reference of the provider and by our id', async () => {
    const one = await create()
    assert.equal(one.status, 'requires_payment_method')
    assert.match(one.clientSecret!, /_secret_/)
    await pay(one.reference)
    const found = await payments.find(one.reference, context)
    assert.deepEqual([found.status, found.amountReceived], ['succeeded', 2_000])
    assert.equal((await payments.findOpened(one, context))?.reference, one.reference)
    assert.equal(await payments.findOpened(newPayment(), context), null)
  })

  test('finds a payment that is on the second page of the list', async () => {
    const first = await create()
    for (let n = 0; n < 101; n++) await provider.make()
    assert.equal((await payments.findOpened(first, context))?.reference, first.reference)
  })

  test('gives the reason of a failed attempt, with a different id for each attempt', async () => {
    const { reference } = await create()
    await pay(reference, 'pm_card_chargeDeclinedInsufficientFunds')
    const first = (await payments.find(reference, context)).failure
    await pay(reference, 'pm_card_chargeDeclinedInsufficientFunds')
    const second = (await payments.find(reference, context)).failure
    assert.equal(first?.code, 'insufficient_funds')
    assert.notEqual(first?.attempt, second?.attempt)
  })

  test('captures a part of an authorized payment, and cancels an unpaid one', async () => {
    const one = await create({ captureMethod: 'manual' })
    await pay(one.reference)
    assert.equal((await payments.find(one.reference, context)).status, 'requires_capture')
    const taken = await payments.capture({ ...one, amount: 1_500 }, randomUUID(), context)
    assert.deepEqual([taken.status, taken.amountReceived], ['succeeded', 1_500])
    const other = await create()
    assert.equal((await payments.cancel(other.reference, randomUUID(), context)).status, 'canceled')
    await assert.rejects(
      payments.cancel(one.reference, randomUUID(), context),
      failsWith('refused', 'payment_intent_unexpected_state'),
    )
  })

  test('lists the refunds of a payment, and rejects more than was paid', async () => {
    const one = await create()
    await pay(one.reference)
    const refund = refundOf(one, 700)
    const made = await payments.refund(refund, refund.ourId, context)
    assert.deepEqual([made.status, made.amount, made.ourId], ['succeeded', 700, refund.ourId])
    const again = await payments.refund(refund, refund.ourId, context)
    assert.equal(again.reference, made.reference)
    await assert.rejects(payments.refund(refundOf(one, 1_301), randomUUID(), context), failsWith('refused'))
    assert.deepEqual((await payments.find(one.reference, context)).refunds, [made])
  })
})

suite('idempotency keys', () => {
  test('creates one payment when the reply is lost and the key is repeated', async () => {
    const one = newPayment()
    await provider.control('PUT', 'faults', { mode: 'lose_reply', times: 2 })
    await assert.rejects(payments.open(one, one.ourId, context), failsWith('unreachable'))
    const { reference } = await payments.open(one, one.ourId, context)
    const { payment_intents } = await provider.control('GET', 'ledger')
    const made = payment_intents.filter(
      ({ metadata }: { metadata: Record<string, string> }) => metadata['payment_intent_id'] === one.ourId,
    )
    assert.deepEqual(
      made.map(({ id }: { id: string }) => id),
      [reference],
    )
  })

  test('fails with spent_key when the key has a stored failure or was used for another request', async () => {
    const one = newPayment()
    await provider.control('PUT', 'faults', { mode: 'refuse', status: 500, code: 'kept', times: 1 })
    await assert.rejects(payments.open(one, one.ourId, context), failsWith('unreachable'))
    await assert.rejects(payments.open(one, one.ourId, context), failsWith('spent_key'))
    assert.ok(await payments.open(one, `${one.ourId}:2`, context))
    await assert.rejects(
      payments.open({ ...one, amount: 2_001 }, `${one.ourId}:2`, context),
      failsWith('spent_key'),
    )
  })
})

suite('failures', () => {
  const faults: [object, PaymentsFailureCode][] = [
    // The library repeats a request once when its connection was closed.
    [{ mode: 'down', times: 2 }, 'unreachable'],
    [{ mode: 'garbage' }, 'unreachable'],
    [{ mode: 'garbage', code: 'shape' }, 'unreachable'],
    [{ mode: 'refuse', status: 500 }, 'unreachable'],
    [{ mode: 'refuse', status: 429 }, 'busy'],
    [{ mode: 'refuse', status: 409 }, 'busy'],
    [{ mode: 'refuse', status: 401 }, 'not_accepted'],
    [{ mode: 'refuse', status: 403 }, 'not_accepted'],
    [{ mode: 'refuse', status: 400 }, 'refused'],
  ]
  for (const [fault, code] of faults)
    test(`${JSON.stringify(fault)} is ${code}`, async () => {
      await provider.control('PUT', 'faults', { times: 1, ...fault })
      await assert.rejects(create(), failsWith(code))
    })

  test('rejects an amount that is too small, and a payment that does not exist', async () => {
    await assert.rejects(create({ amount: 1 }), failsWith('refused', 'amount_too_small'))
    await assert.rejects(payments.find('pi_none', context), failsWith('missing'))
  })

  test('errors contain neither the API key nor the request', async () => {
    const withOtherKey = stripePayments({ url: provider.url, apiKey: 'sk_live_canary', webhookSecrets: [] })
    const error = (await withOtherKey
      .open(newPayment(), 'k', context)
      .catch((thrown: unknown) => thrown)) as Error
    assert.doesNotMatch(JSON.stringify([error.message, error.stack, error]), /canary/)
  })

  test('isReachable is true while the provider responds', async () => {
    assert.equal(await payments.isReachable(), true)
    const unreachable = stripePayments({ url: 'http://127.0.0.1:1', apiKey: 'sk_test_1', webhookSecrets: [] })
    assert.equal(await unreachable.isReachable(), false)
  })
})

suite('webhook events', () => {
  const text = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'payment_intent.succeeded',
    created: 1_700_000_000,
    data: { object: { object: 'payment_intent', id: 'pi_1', metadata: { payment_intent_id: 'ours' } } },
  })
  const body = Buffer.from(text)
  const now = Math.floor(Date.now() / 1_000)
  const parseSigned = (json: string) => payments.parseEvent(Buffer.from(json), signature(json, 'whsec_new'))

  test('accepts a signature by either of two secrets', async () => {
    for (const secret of secrets) {
      const { id, reference, ourId } = await payments.parseEvent(body, signature(text, secret))
      assert.deepEqual([id, reference, ourId], ['evt_1', 'pi_1', 'ours'])
    }
  })

  test('rejects a missing, wrong or old signature', async () => {
    for (const [bytes, header] of [
      [body, undefined],
      [body, ''],
      [body, 't=1,v1=00'],
      [body, signature(text, 'whsec_other')],
      [body, signature(text, 'whsec_new', now - 301)],
      [Buffer.from(text.replace('pi_1', 'pi_2')), signature(text, 'whsec_new')],
      [Buffer.from('no json'), signature('no json', 'whsec_new')],
    ] as const)
      await assert.rejects(() => payments.parseEvent(bytes, header), UntrustedEvent)
  })

  test('rejects a signed body that is not an event', async () => {
    for (const wrong of [
      { created: '2030-07-01' },
      { created: 1e300 },
      { created: undefined },
      { id: 7 },
      { id: 'evt\0' },
      { id: undefined },
      { type: ['x'] },
      { type: '\ud800' },
      { data: undefined },
      { data: { object: null } },
    ]) {
      const json = JSON.stringify({ ...(JSON.parse(text) as object), ...wrong })
      await assert.rejects(parseSigned(json), UntrustedEvent)
    }
  })

  test('ignores a payment id of ours that is not text', async () => {
    for (const object of [
      { id: 'pi_1', object: 'payment_intent', metadata: { payment_intent_id: 7 } },
      { id: 'pi\0', object: 'payment_intent', metadata: null },
    ]) {
      const json = JSON.stringify({ ...(JSON.parse(text) as object), data: { object } })
      const { ourId } = await parseSigned(json)
      assert.equal(ourId, null)
    }
  })
})

test('converts amounts of currencies with other units at Stripe', () => {
  const stripeAmounts = { isk: 50_000, jpy: 500, usd: 500, mga: 5 }
  for (const [currency, stripeAmount] of Object.entries(stripeAmounts)) {
    assert.equal(toStripeAmount(500, currency), stripeAmount)
    assert.equal(fromStripeAmount(stripeAmount, currency), 500)
  }
  assert.throws(() => toStripeAmount(5, 'mga'), failsWith('refused'))
})
