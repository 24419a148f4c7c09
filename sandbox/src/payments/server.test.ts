import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openPayments, type Body } from '../../test/payments-caller.ts'

let payments: Awaited<ReturnType<typeof openPayments>>
before(async () => (payments = await openPayments()))
after(() => payments.close())

test('health needs no key', async () => {
  const res = await fetch(`${payments.url}/health`)
  assert.deepEqual(await res.json(), { status: 'ok' })
})

test('the balance needs a test key', async () => {
  assert.equal((await payments.get('/v1/balance')).body.object, 'balance')
  for (const authorization of ['', 'Bearer sk_live_1', 'Bearer sk_test_']) {
    const refused = await payments.get('/v1/balance', { authorization })
    assert.equal(refused.status, 401)
    assert.equal(refused.body.error.type, 'invalid_request_error')
  }
})

test('anything else is 404', async () => {
  assert.equal((await payments.get('/v1/customers')).status, 404)
})

suite('states of a payment', () => {
  test('created, confirmed, succeeded; the charge is in the balance', async () => {
    const made = await payments.make('amount=1234&currency=chf&metadata[order]=7')
    assert.equal(made.status, 'requires_payment_method')
    assert.deepEqual(made.metadata, { order: '7' })
    assert.ok(made.client_secret.startsWith(`${made.id}_secret_`))
    const { status, body } = await payments.confirm(made.id, 'pm_card_visa')
    assert.equal(status, 200)
    assert.deepEqual([body.status, body.amount_received], ['succeeded', 1234])
    const { available } = (await payments.get('/v1/balance')).body
    assert.equal(available.find((one: Body) => one.currency === 'chf').amount, 1234)
  })

  test('with a method it waits for confirmation, with confirm it is charged at once', async () => {
    assert.equal(
      (await payments.make('amount=2000&currency=usd&payment_method=pm_card_visa')).status,
      'requires_confirmation',
    )
    const at = await payments.make('amount=2000&currency=usd&payment_method=pm_card_visa&confirm=true')
    assert.equal(at.status, 'succeeded')
  })

  test('a declined card is 402 with the reason, and another card can be used', async () => {
    const { id } = await payments.make()
    const refused = await payments.confirm(id, 'pm_card_chargeDeclinedInsufficientFunds')
    assert.equal(refused.status, 402)
    const { type, code, decline_code, payment_intent } = refused.body.error
    assert.deepEqual([type, code, decline_code], ['card_error', 'card_declined', 'insufficient_funds'])
    assert.equal(payment_intent.status, 'requires_payment_method')
    assert.equal(payment_intent.last_payment_error.decline_code, 'insufficient_funds')
    assert.equal((await payments.confirm(id, 'pm_card_visa')).body.status, 'succeeded')
  })

  test('a bank that asks for authentication', async () => {
    const { id } = await payments.make()
    assert.equal(
      (await payments.confirm(id, 'pm_card_authenticationRequired')).body.status,
      'requires_action',
    )
    assert.equal(
      (await payments.control('POST', 'authenticate', { payment_intent: id, succeeds: false })).status,
      'requires_payment_method',
    )
    await payments.confirm(id, 'pm_card_authenticationRequired')
    assert.equal((await payments.control('POST', 'authenticate', { payment_intent: id })).status, 'succeeded')
  })

  test('a bank that takes days', async () => {
    const { id } = await payments.make()
    assert.equal((await payments.confirm(id, 'pm_usBankAccount_success')).body.status, 'processing')
    assert.equal((await payments.post(`/v1/payment_intents/${id}/cancel`)).status, 400)
    assert.equal((await payments.control('POST', 'settle', { payment_intent: id })).status, 'succeeded')
  })

  test('authorized, then captured in part or cancelled', async () => {
    const { id } = await payments.make('amount=2000&currency=usd&capture_method=manual')
    assert.deepEqual((await payments.confirm(id, 'pm_card_visa')).body.status, 'requires_capture')
    assert.equal(
      (await payments.post(`/v1/payment_intents/${id}/capture`, 'amount_to_capture=2001')).status,
      400,
    )
    const captured = (await payments.post(`/v1/payment_intents/${id}/capture`, 'amount_to_capture=1500')).body
    assert.deepEqual([captured.status, captured.amount_received], ['succeeded', 1500])
    const other = await payments.make('amount=2000&currency=usd&capture_method=manual')
    await payments.confirm(other.id, 'pm_card_visa')
    assert.equal((await payments.post(`/v1/payment_intents/${other.id}/cancel`)).body.status, 'canceled')
  })

  test('a transition that the state does not allow is refused', async () => {
    const { id } = await payments.make()
    await payments.post(`/v1/payment_intents/${id}/cancel`)
    for (const action of ['confirm', 'capture', 'cancel']) {
      const refused = await payments.post(`/v1/payment_intents/${id}/${action}`)
      assert.equal(refused.body.error.code, 'payment_intent_unexpected_state', action)
    }
  })

  test('an invalid parameter is refused by name', async () => {
    for (const [form, code, param] of [
      ['currency=usd', 'parameter_missing', 'amount'],
      ['amount=49&currency=usd', 'amount_too_small', 'amount'],
      ['amount=1e3&currency=usd', 'parameter_invalid_integer', 'amount'],
      ['amount=2000&currency=usd&card[number]=4242424242424242', 'parameter_unknown', 'card'],
    ]) {
      const { status, body } = await payments.post('/v1/payment_intents', form)
      assert.deepEqual([status, body.error.code, body.error.param], [400, code, param])
    }
    assert.equal((await payments.get('/v1/payment_intents/pi_none')).body.error.code, 'resource_missing')
  })

  test('a guest confirms with the client secret and a publishable key, and does nothing else', async () => {
    const { id, client_secret } = await payments.make()
    const guest = { authorization: 'Bearer pk_test_1' }
    const form = (secret: string) => `payment_method=pm_card_visa&client_secret=${secret}`
    assert.equal((await payments.post(`/v1/payment_intents/${id}/confirm`, form('wrong'), guest)).status, 400)
    assert.equal(
      (await payments.post(`/v1/payment_intents/${id}/cancel`, form(client_secret), guest)).status,
      401,
    )
    assert.equal(
      (await payments.post(`/v1/payment_intents/${id}/confirm`, form(client_secret), guest)).body.status,
      'succeeded',
    )
  })
})

suite('refunds', () => {
  test('never exceed the captured amount', async () => {
    const { id } = await payments.make()
    assert.equal((await payments.post('/v1/refunds', `payment_intent=${id}`)).status, 400)
    await payments.confirm(id, 'pm_card_visa')
    assert.equal((await payments.post('/v1/refunds', `payment_intent=${id}&amount=1500`)).body.amount, 1500)
    assert.equal((await payments.post('/v1/refunds', `payment_intent=${id}&amount=501`)).status, 400)
    assert.equal((await payments.post('/v1/refunds', `payment_intent=${id}`)).body.amount, 500)
    const none = await payments.post('/v1/refunds', `payment_intent=${id}`)
    assert.equal(none.body.error.code, 'charge_already_refunded')
    const { data } = (await payments.get(`/v1/refunds?payment_intent=${id}`)).body
    assert.deepEqual(
      data.map((one: Body) => one.amount),
      [500, 1500],
    )
  })

  test('a late failure makes the amount refundable again', async () => {
    const { id } = await payments.make()
    await payments.confirm(id, 'pm_card_visa')
    await payments.control('POST', 'refunds', { begin_as: 'pending' })
    const { body } = await payments.post('/v1/refunds', `payment_intent=${id}`)
    await payments.control('POST', 'refunds', { begin_as: 'succeeded' })
    assert.equal(body.status, 'pending')
    assert.equal(
      (await payments.control('POST', 'refunds/settle', { refund: body.id, status: 'failed' })).status,
      'failed',
    )
    assert.equal((await payments.post('/v1/refunds', `payment_intent=${id}`)).body.status, 'succeeded')
  })
})
