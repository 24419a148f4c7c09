import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openPayments, type Body } from '../../test/payments-caller.ts'

let payments: Awaited<ReturnType<typeof openPayments>>
before(async () => (payments = await openPayments()))
after(() => payments.close())

suite('disputes', () => {
  const makePaid = async (): Promise<string> => {
    const { id } = await payments.make('amount=2000&currency=nok')
    await payments.confirm(id, 'pm_card_visa')
    return id
  }
  const dispute = (payment_intent: string, more: object = {}) =>
    payments.control('POST', 'disputes', { payment_intent, ...more })
  const move = ({ id }: Body, status: string) =>
    payments.control('POST', 'disputes/move', { dispute: id, status })
  const balance = async () => {
    const { available } = (await payments.get('/v1/balance')).body
    return available.find(({ currency }: Body) => currency === 'nok').amount
  }
  const eventsOf = async ({ id }: Body) =>
    (await payments.control('GET', 'ledger')).events
      .filter((event: Body) => event.data.object.id === id)
      .map(({ type }: Body) => type.replace('charge.dispute.', ''))
  const codeOf = async (refund: Promise<Body>) => (await refund).body.error?.code

  test('take the money until they are won, and no refund is possible meanwhile', async () => {
    const id = await makePaid()
    const before = await balance()
    const opened = await dispute(id, { reason: 'product_not_received' })
    assert.deepEqual(
      [opened.status, opened.reason, opened.amount, opened.payment_intent],
      ['needs_response', 'product_not_received', 2000, id],
    )
    assert.equal(await balance(), before - 2000)
    assert.equal(await codeOf(payments.post('/v1/refunds', `payment_intent=${id}`)), 'charge_disputed')
    await move(opened, 'under_review')
    assert.equal((await move(opened, 'won')).status, 'won')
    assert.equal(await balance(), before)
    assert.deepEqual(await eventsOf(opened), [
      ...['created', 'funds_withdrawn', 'updated', 'closed', 'funds_reinstated'],
    ])
    assert.equal(await codeOf(payments.post('/v1/refunds', `payment_intent=${id}`)), undefined)
  })

  test('a lost one keeps the money', async () => {
    const id = await makePaid()
    const before = await balance()
    assert.equal((await move(await dispute(id), 'lost')).status, 'lost')
    assert.equal(await balance(), before - 2000)
    assert.equal(await codeOf(payments.post('/v1/refunds', `payment_intent=${id}`)), 'charge_disputed')
  })

  test('an inquiry takes nothing until it becomes a dispute', async () => {
    const id = await makePaid()
    const before = await balance()
    const inquiry = await dispute(id, { status: 'warning_needs_response' })
    assert.equal(await balance(), before)
    await move(inquiry, 'needs_response')
    assert.equal(await balance(), before - 2000)
    assert.deepEqual(await eventsOf(inquiry), ['created', 'updated', 'funds_withdrawn'])
  })

  test('are listed by payment and time, and the charge of a payment shows them', async () => {
    const id = await makePaid()
    const chargeOf = async () =>
      (await payments.get(`/v1/payment_intents/${id}?expand[0]=latest_charge`)).body.latest_charge
    assert.ok(!(await chargeOf()).disputed)
    const opened = await dispute(id)
    assert.equal((await chargeOf()).disputed, true)
    const listed = async (query: string) =>
      (await payments.get(`/v1/disputes?${query}`)).body.data.map((one: Body) => one.id)
    assert.deepEqual(await listed(`payment_intent=${id}`), [opened.id])
    assert.ok((await listed(`created[gte]=${opened.created}`)).includes(opened.id))
    assert.deepEqual(await listed(`created[gte]=${opened.created + 60}`), [])
  })

  test('are of paid payments only', async () => {
    const { id } = await payments.make()
    assert.equal((await dispute(id)).error.code, 'payment_intent_unexpected_state')
    assert.equal((await move({ id: 'dp_none' }, 'won')).error.code, 'resource_missing')
    assert.equal((await dispute(await makePaid(), { status: 'closed' })).error.param, 'status')
  })
})
