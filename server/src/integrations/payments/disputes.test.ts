import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { openPayments } from '../../../../sandbox/test/payments-caller.ts'
import { PaymentsFailure } from './payments-failure.ts'
import type { Payments } from './payments.ts'
import { stripePayments } from './stripe-payments.ts'

/** Disputes at the port, with the sandbox's implementation of Stripe. */

let provider: Awaited<ReturnType<typeof openPayments>>
let payments: Payments
const context = { traceparent: null }

before(async () => {
  provider = await openPayments()
  payments = stripePayments({ url: provider.url, apiKey: 'sk_test_1', webhookSecrets: [] })
})
after(() => provider.close())

const makePaid = async (currency = 'usd'): Promise<string> => {
  const { id } = await provider.make(`amount=2000&currency=${currency}`)
  await provider.confirm(id, 'pm_card_visa')
  return id
}
const dispute = (payment_intent: string, more: object = {}) =>
  provider.control('POST', 'disputes', { payment_intent, ...more })
const disputesOf = async (reference: string) => (await payments.find(reference, context)).disputes

suite('disputes', () => {
  test('a payment has none until the bank disputes it', async () => {
    const reference = await makePaid()
    assert.deepEqual(await disputesOf(reference), [])
    const { id } = await dispute(reference, { due_by: 1_900_000_000, reason: 'duplicate', amount: 1_500 })
    assert.deepEqual(await disputesOf(reference), [
      {
        reference: id,
        status: 'open',
        amount: 1_500,
        reason: 'duplicate',
        respondBy: new Date(1_900_000_000_000),
      },
    ])
  })

  for (const [stripeStatus, status, expectsResponse] of [
    ['warning_needs_response', 'inquiry', true],
    ['warning_under_review', 'inquiry', false],
    ['warning_closed', 'won', false],
    ['needs_response', 'open', true],
    ['under_review', 'open', false],
    ['won', 'won', false],
    ['lost', 'lost', false],
  ] as const)
    test(`${stripeStatus} is ${status}`, async () => {
      const reference = await makePaid()
      await dispute(reference, { status: stripeStatus })
      const [found] = (await disputesOf(reference))!
      assert.deepEqual([found?.status, found?.respondBy !== null], [status, expectsResponse])
    })

  test('has no date when the bank accepts no response, and the amount in our minor units', async () => {
    const reference = await makePaid('isk')
    await dispute(reference, { due_by: 0 })
    const [found] = (await disputesOf(reference))!
    assert.deepEqual([found?.respondBy, found?.amount], [null, 20])
  })

  test('lists the disputed payments since a time, over several pages', async () => {
    const disputed = await Promise.all(
      Array.from({ length: 101 }, async () => {
        const reference = await makePaid()
        await dispute(reference)
        return reference
      }),
    )
    const found = await payments.listDisputed(new Date(Date.now() - 60_000), context)
    const references = new Set(found.map(({ reference }) => reference))
    assert.ok(disputed.every((reference) => references.has(reference)))
    assert.deepEqual(await payments.listDisputed(new Date(Date.now() + 60_000), context), [])
  })

  test('the provider rejects a refund of a disputed payment', async () => {
    const reference = await makePaid()
    await dispute(reference)
    const refund = { ourId: randomUUID(), orgId: randomUUID(), reference, amount: 100, currency: 'usd' }
    await assert.rejects(
      payments.refund({ ...refund, reason: 'other' }, refund.ourId, context),
      (error) => error instanceof PaymentsFailure && error.reason === 'charge_disputed',
    )
  })
})
