import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Scope } from '#db/scope.ts'
import { PaymentsFailure } from '#integrations/payments/payments-failure.ts'
import type { Payments } from '#integrations/payments/payments.ts'
import { expectStatus } from '#test/expect.ts'
import { addStay, askFor, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { shareWorld } from '#test/share-world.ts'
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
