import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, suite, test } from 'node:test'
import { signature } from '../../../../sandbox/src/payments/deliveries.ts'
import { openPayments } from '../../../../sandbox/test/payments-caller.ts'
import { PaymentsFailure, type PaymentsFailureCode } from './payments-failure.ts'
import { NotTrusted, type Payments, type WantedPayment } from './payments.ts'
import { fromVendor, toVendor } from './stripe-amounts.ts'
import { stripePayments } from './stripe-payments.ts'

/** What the port promises, held against the stand-in. */

let provider: Awaited<ReturnType<typeof openPayments>>
let payments: Payments
const secrets = ['whsec_new', 'whsec_old']
const call = { traceparent: null }

before(async () => {
  provider = await openPayments()
  payments = stripePayments({ url: provider.url, apiKey: 'sk_test_1', webhookSecrets: secrets })
})
after(() => provider.close())
beforeEach(() => provider.control('DELETE', 'faults'))

const wanted = (fields: Partial<WantedPayment> = {}): WantedPayment => ({
  ourId: randomUUID(),
  orgId: randomUUID(),
  bookingId: randomUUID(),
  amount: 2_000,
  currency: 'usd',
  captureMethod: 'automatic',
  askedAt: new Date(),
  ...fields,
})
const opened = async (fields: Partial<WantedPayment> = {}) => {
  const one = wanted(fields)
  return { ...one, ...(await payments.open(one, one.ourId, call)) }
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
  test('opened, paid, found again by either name', async () => {
    const one = await opened()
    assert.equal(one.status, 'requires_payment_method')
    assert.match(one.clientSecret!, /_secret_/)
    await pay(one.reference)
    const found = await payments.find(one.reference, call)
    assert.deepEqual([found.status, found.amountReceived], ['succeeded', 2_000])
    assert.equal((await payments.findOpened(one, call))?.reference, one.reference)
    assert.equal(await payments.findOpened(wanted(), call), null)
  })

  test('the second page of what was opened is looked through too', async () => {
    const first = await opened()
    for (let n = 0; n < 101; n++) await provider.make()
    assert.equal((await payments.findOpened(first, call))?.reference, first.reference)
  })

  test('why an attempt failed, each one told apart', async () => {
    const { reference } = await opened()
    await pay(reference, 'pm_card_chargeDeclinedInsufficientFunds')
    const first = (await payments.find(reference, call)).failure
    await pay(reference, 'pm_card_chargeDeclinedInsufficientFunds')
    const second = (await payments.find(reference, call)).failure
    assert.equal(first?.code, 'insufficient_funds')
    assert.notEqual(first?.attempt, second?.attempt)
  })

  test('held, captured in part; held, let go', async () => {
    const one = await opened({ captureMethod: 'manual' })
    await pay(one.reference)
    assert.equal((await payments.find(one.reference, call)).status, 'requires_capture')
    const taken = await payments.capture({ ...one, amount: 1_500 }, randomUUID(), call)
    assert.deepEqual([taken.status, taken.amountReceived], ['succeeded', 1_500])
    const other = await opened()
    assert.equal((await payments.cancel(other.reference, randomUUID(), call)).status, 'canceled')
    await assert.rejects(
      payments.cancel(one.reference, randomUUID(), call),
      failsWith('refused', 'payment_intent_unexpected_state'),
    )
  })

  test('refunds stand with their payment, and never exceed it', async () => {
    const one = await opened()
    await pay(one.reference)
    const refund = refundOf(one, 700)
    const made = await payments.refund(refund, refund.ourId, call)
    assert.deepEqual([made.status, made.amount, made.ourId], ['succeeded', 700, refund.ourId])
    const again = await payments.refund(refund, refund.ourId, call)
    assert.equal(again.reference, made.reference)
    await assert.rejects(payments.refund(refundOf(one, 1_301), randomUUID(), call), failsWith('refused'))
    assert.deepEqual((await payments.find(one.reference, call)).refunds, [made])
  })
})

suite('keys', () => {
  test('a lost reply, and the same key again: one payment', async () => {
    const one = wanted()
    await provider.control('PUT', 'faults', { mode: 'lose_reply', times: 2 })
    await assert.rejects(payments.open(one, one.ourId, call), failsWith('unreachable'))
    const { reference } = await payments.open(one, one.ourId, call)
    const { payment_intents } = await provider.control('GET', 'ledger')
    const made = payment_intents.filter(
      ({ metadata }: { metadata: Record<string, string> }) => metadata['payment_intent_id'] === one.ourId,
    )
    assert.deepEqual(
      made.map(({ id }: { id: string }) => id),
      [reference],
    )
  })

  test('a key that has kept a failure says so, and so does one used for something else', async () => {
    const one = wanted()
    await provider.control('PUT', 'faults', { mode: 'refuse', status: 500, code: 'kept', times: 1 })
    await assert.rejects(payments.open(one, one.ourId, call), failsWith('unreachable'))
    await assert.rejects(payments.open(one, one.ourId, call), failsWith('spent_key'))
    assert.ok(await payments.open(one, `${one.ourId}:2`, call))
    await assert.rejects(
      payments.open({ ...one, amount: 2_001 }, `${one.ourId}:2`, call),
      failsWith('spent_key'),
    )
  })
})

suite('failures, in our words', () => {
  const faults: [object, PaymentsFailureCode][] = [
    // The library itself repeats once what was cut off.
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
      await assert.rejects(opened(), failsWith(code))
    })

  test('what the provider does not take, and what it does not know', async () => {
    await assert.rejects(opened({ amount: 1 }), failsWith('refused', 'amount_too_small'))
    await assert.rejects(payments.find('pi_none', call), failsWith('missing'))
  })

  test('no failure tells the key, nor what was sent', async () => {
    const stranger = stripePayments({ url: provider.url, apiKey: 'sk_live_canary', webhookSecrets: [] })
    const error = (await stranger.open(wanted(), 'k', call).catch((thrown: unknown) => thrown)) as Error
    assert.doesNotMatch(JSON.stringify([error.message, error.stack, error]), /canary/)
  })

  test('whether it can be reached', async () => {
    assert.equal(await payments.reachable(), true)
    const nobody = stripePayments({ url: 'http://127.0.0.1:1', apiKey: 'sk_test_1', webhookSecrets: [] })
    assert.equal(await nobody.reachable(), false)
  })
})

suite('notices', () => {
  const text = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'payment_intent.succeeded',
    created: 1_700_000_000,
    data: { object: { object: 'payment_intent', id: 'pi_1', metadata: { payment_intent_id: 'ours' } } },
  })
  const body = Buffer.from(text)
  const now = Math.floor(Date.now() / 1_000)
  const read = (said: string) => payments.readNotice(Buffer.from(said), signature(said, 'whsec_new'))

  test('each of two secrets is believed', async () => {
    for (const secret of secrets) {
      const { id, reference, ourId } = await payments.readNotice(body, signature(text, secret))
      assert.deepEqual([id, reference, ourId], ['evt_1', 'pi_1', 'ours'])
    }
  })

  test('nobody else is', async () => {
    for (const [said, signed] of [
      [body, undefined],
      [body, ''],
      [body, 't=1,v1=00'],
      [body, signature(text, 'whsec_other')],
      [body, signature(text, 'whsec_new', now - 301)],
      [Buffer.from(text.replace('pi_1', 'pi_2')), signature(text, 'whsec_new')],
      [Buffer.from('no json'), signature('no json', 'whsec_new')],
    ] as const)
      await assert.rejects(() => payments.readNotice(said, signed), NotTrusted)
  })

  test('what is signed and yet no notice is none', async () => {
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
      const said = JSON.stringify({ ...(JSON.parse(text) as object), ...wrong })
      await assert.rejects(read(said), NotTrusted)
    }
  })

  test('a name of ours that is no text is none', async () => {
    for (const object of [
      { id: 'pi_1', object: 'payment_intent', metadata: { payment_intent_id: 7 } },
      { id: 'pi\0', object: 'payment_intent', metadata: null },
    ]) {
      const said = JSON.stringify({ ...(JSON.parse(text) as object), data: { object } })
      const { ourId } = await read(said)
      assert.equal(ourId, null)
    }
  })
})

test('amounts of currencies that the vendor counts otherwise', () => {
  for (const [amount, currency, there] of [
    [500, 'isk', 50_000],
    [500, 'jpy', 500],
    [500, 'usd', 500],
    [500, 'mga', 5],
  ] as const) {
    assert.equal(toVendor(amount, currency), there)
    assert.equal(fromVendor(there, currency), amount)
  }
  assert.throws(() => toVendor(5, 'mga'), failsWith('refused'))
})
