import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import type { Scope } from '#db/scope.ts'
import { PaymentsFailure } from '#integrations/payments/payments-failure.ts'
import type { Payments } from '#integrations/payments/payments.ts'
import { expectStatus } from '#test/expect.ts'
import { addStay, askFor, atProvider, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { shareWorld } from '#test/share-world.ts'
import { sendRefund } from './send-refund.ts'
import { settlePayment } from './settle-payment.ts'

/** Two workers read one payment from the provider, and the responses arrive in the reverse order. */

const { world, owner } = shareWorld()
let scope: Scope

before(async () => {
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
})

/** A provider whose response is held until it is released. */
function delayed(payments: Payments) {
  const asked = Promise.withResolvers<void>()
  const arrival = Promise.withResolvers<void>()
  const find: Payments['find'] = async (reference, call) => {
    const truth = await payments.find(reference, call)
    asked.resolve()
    await arrival.promise
    return truth
  }
  return { payments: { ...payments, find }, asked: asked.promise, arrive: () => arrival.resolve() }
}

test('a late response changes nothing: a paid booking stays paid', async () => {
  const { payments, vault } = world.resources
  const { id } = await askFor(owner, await addStay(owner))
  await settlePayment(scope, { payments, vault }, id)
  const intent = await intentOf(owner, { id })
  const late = delayed(payments)
  const first = settlePayment(scope, { payments: late.payments, vault }, id)
  await late.asked
  await pay(world, intent)
  await settlePayment(scope, { payments, vault }, id)
  const paid = await intentOf(owner, intent)
  assert.deepEqual([paid.status, paid.amount_received], ['succeeded', 20_000])
  late.arrive()
  await first
  assert.deepEqual(await intentOf(owner, intent), paid)
})

test('an amount that grows without a change of the status moves updated_at', async () => {
  const { payments, vault } = world.resources
  const { id } = await askFor(owner, await addStay(owner))
  await settlePayment(scope, { payments, vault }, id)
  const before = await intentOf(owner, { id })
  const find: Payments['find'] = async (reference, call) => {
    const truth = await payments.find(reference, call)
    return truth && { ...truth, amountReceived: truth.amountReceived + 500 }
  }
  await settlePayment(scope, { payments: { ...payments, find }, vault }, id)
  const after = await intentOf(owner, { id })
  assert.deepEqual([after.status, after.amount_received], [before.status, before.amount_received + 500])
  assert.ok(after.updated_at > before.updated_at)
})

test('a payment that was cancelled while its opening was not answered is cancelled as soon as it is found', async () => {
  const { payments, vault } = world.resources
  const booking = await addStay(owner)
  const { id } = await askFor(owner, booking)
  const open: Payments['open'] = async (...request) => {
    await payments.open(...request)
    throw new PaymentsFailure('unreachable', 'The reply was lost.')
  }
  await settlePayment(scope, { payments: { ...payments, open }, vault }, id)
  expectStatus(await owner.post(`/api/v1/payment-intents/${id}/cancel`), 200)
  await settlePayment(scope, { payments, vault }, id)
  const { status, requested } = await intentOf(owner, { id })
  assert.deepEqual([status, requested], ['canceled', null])
  assert.deepEqual(
    (await ledgerOf(world, { id })).opened.map((one: { status: string }) => one.status),
    ['canceled'],
  )
  assert.notEqual((await askFor(owner, booking)).id, id)
})

test('a late response to a refund changes nothing: a refund that has failed since stays failed', async () => {
  const { payments, vault } = world.resources
  const { id } = await askFor(owner, await addStay(owner))
  await settlePayment(scope, { payments, vault }, id)
  await pay(world, await intentOf(owner, { id }))
  await settlePayment(scope, { payments, vault }, id)
  const { refund: made } = expectStatus(await owner.post(`/api/v1/payment-intents/${id}/refunds`, {}), 201)
  const refund: Payments['refund'] = async (...request) => {
    const answer = await payments.refund(...request)
    await atProvider(world, 'POST', 'refunds/settle', { refund: answer.reference, status: 'failed' })
    await settlePayment(scope, { payments, vault }, id)
    return answer
  }
  await sendRefund(scope, { ...payments, refund }, made.id)
  const { refund: seen } = expectStatus(await owner.get(`/api/v1/refunds/${made.id}`), 200)
  assert.equal(seen.status, 'failed')
  assert.equal((await intentOf(owner, { id })).amount_refunded, 0)
})

test('a refund that a restored database lacks is not made a second time', async () => {
  const { payments, vault } = world.resources
  const { id } = await askFor(owner, await addStay(owner))
  await settlePayment(scope, { payments, vault }, id)
  const intent = await intentOf(owner, { id })
  await pay(world, intent)
  await settlePayment(scope, { payments, vault }, id)
  const amount = 10_000
  const lost = { ourId: randomUUID(), orgId: world.home.id, reference: intent.provider_reference }
  await payments.refund({ ...lost, amount, currency: 'eur', reason: 'cancellation' }, lost.ourId, {
    traceparent: null,
  })
  const repeated = await owner.post(`/api/v1/payment-intents/${id}/refunds`, { amount })
  const { refund } = expectStatus(repeated, 201)
  await sendRefund(scope, payments, refund.id)
  assert.equal((await ledgerOf(world, intent)).refunds.length, 1)
  await settlePayment(scope, { payments, vault }, id)
  const { refunds } = expectStatus(await owner.get(`/api/v1/refunds?payment_intent_id=${id}`), 200)
  assert.deepEqual(
    refunds.map((one: Record<string, unknown>) => [one['amount'], one['status'], one['failure_code']]),
    [
      [amount, 'failed', 'charge_already_refunded'],
      [amount, 'succeeded', null],
    ],
  )
  assert.equal((await intentOf(owner, { id })).amount_refunded, amount)
})
