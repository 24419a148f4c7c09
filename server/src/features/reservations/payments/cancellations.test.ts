import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { atomically } from '#db/scope.ts'
import { expectStatus } from '#test/expect.ts'
import {
  addStay,
  askFor,
  atProvider,
  intentOf,
  ledgerOf,
  pay,
  setCancellationPolicy,
} from '#test/payments.ts'
import { until } from '#test/linked-units.ts'
import { addSpace, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { applyExternalBooking } from '#features/reservations/bookings/apply-booking.ts'
import { parsePolicy, refundShare, percentOf } from './cancellation-policy.ts'

/** Refunds of cancelled bookings. */

const { world, owner } = shareWorld({ workers: true })

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const cancel = async ({ id }: { id: string }, cancellationReason = 'guest_request') => {
  const body = { status: 'cancelled', cancellationReason }
  expectStatus(await owner.patch(`/api/v1/bookings/${id}`, body), 200)
  await world.settled()
}
const paid = async (fields: Record<string, unknown> = {}) => {
  const booking = await addStay(owner, fields)
  return { booking, intent: await payFor(booking) }
}
async function payFor(booking: { id: string }) {
  const intent = await askFor(owner, booking)
  await pay(world, intent)
  await until(
    () => intentOf(owner, intent),
    ({ status }) => status === 'succeeded',
  )
  return intent
}
const refundsOf = async ({ id }: { id: string }) =>
  (await owner.get(`/api/v1/refunds?payment_intent_id=${id}`)).body.refunds.map(
    ({ amount, reason, status }: Record<string, unknown>) => [amount, reason, status],
  )
const setPolicy = (policy: object | null) => setCancellationPolicy(world, policy)

suite('refund of a cancelled booking', () => {
  test('refunds everything once when cancelled in time', async () => {
    const { booking, intent } = await paid()
    await cancel(booking)
    assert.deepEqual(await refundsOf(intent), [[20_000, 'cancellation', 'succeeded']])
    assert.equal((await ledgerOf(world, intent)).refunds.length, 1)
  })

  test('refunds the share of the policy, less earlier refunds, when cancelled late', async () => {
    await setPolicy({ free_until_days: 7, refund_percent: 50 })
    const { booking, intent } = await paid({ checkIn: day(3), checkOut: day(5) })
    expectStatus(await owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, { amount: 4_000 }), 201)
    await cancel(booking)
    assert.deepEqual(await refundsOf(intent), [
      [4_000, 'requested_by_guest', 'succeeded'],
      [6_000, 'cancellation', 'succeeded'],
    ])
    const other = await paid({ checkIn: day(3), checkOut: day(5) })
    await cancel(other.booking, 'overbooking')
    assert.deepEqual(await refundsOf(other.intent), [[20_000, 'cancellation', 'succeeded']])
    await setPolicy(null)
  })

  test('refunds the rest when a booking that the PMS has reinstated is cancelled for another reason', async () => {
    await setPolicy({ free_until_days: 7, refund_percent: 50 })
    const { database } = world.resources
    const actor = { type: 'system', id: 'pms', name: 'PMS' } as const
    const { id: orgId, accountId } = world.home
    const unit = await addUnit(owner)
    const { id: targetId } = await addTarget(owner)
    const revise = (minute: number, status: 'confirmed' | 'cancelled') =>
      atomically({ orgId, accountId, actor, traceparent: null, database }, (transaction) =>
        applyExternalBooking(transaction, {
          ...{ targetId, externalId: 'reinstated', accountId, unitId: unit.id, ratePlanId: null, status },
          ...{ guests: 1, rooms: 1, arrival: day(3), departure: day(5), totalCents: 20_000, currency: 'eur' },
          revisedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
        }),
      )
    const booking = { id: (await revise(1, 'confirmed')).bookingId! }
    const intent = await payFor(booking)
    await revise(2, 'cancelled')
    await world.settled()
    assert.deepEqual(await refundsOf(intent), [[10_000, 'cancellation', 'succeeded']])
    await revise(3, 'confirmed')
    await cancel(booking, 'host')
    assert.deepEqual(await refundsOf(intent), [
      [10_000, 'cancellation', 'succeeded'],
      [10_000, 'cancellation', 'succeeded'],
    ])
    await setPolicy(null)
  })

  test('refunds what the provider can pay out, rounded up', async () => {
    await setPolicy({ free_until_days: 7, refund_percent: 50 })
    for (const [currency, amount, refunded] of [
      ['mga', 12_345_500, 6_172_800],
      ['kwd', 12_350, 6_180],
    ] as const) {
      const space = await addSpace(owner, { currency })
      const { id: unitId } = await addUnit(owner, { space_id: space.id, currency, base_price_cents: amount })
      const booking = await addStay(owner, { unitId, checkIn: day(3), checkOut: day(5), totalCents: amount })
      const intent = await askFor(owner, booking, { amount, currency })
      await pay(world, intent)
      await until(
        () => intentOf(owner, intent),
        ({ status }) => status === 'succeeded',
      )
      const { cancellation } = expectStatus(
        await owner.get(`/api/v1/bookings/${booking.id}/cancellation?reason=guest_request`),
        200,
      )
      assert.equal(cancellation.refund_cents, refunded)
      await cancel(booking)
      assert.deepEqual(await refundsOf(intent), [[refunded, 'cancellation', 'succeeded']])
    }
    await setPolicy(null)
  })

  test('cannot be paid after a cancellation', async () => {
    const booking = await addStay(owner)
    const [open, held] = [
      await askFor(owner, booking, { amount: 5_000 }),
      await askFor(owner, booking, { amount: 9_000, capture_method: 'manual' }),
    ]
    await pay(world, held)
    await cancel(booking)
    for (const intent of [open, held]) assert.equal((await intentOf(owner, intent)).status, 'canceled')
    assert.equal((await pay(world, open)).error.code, 'payment_intent_unexpected_state')
  })

  test('refunds a payment that arrives during the cancellation', async () => {
    const booking = await addStay(owner)
    const intent = await askFor(owner, booking)
    await atProvider(world, 'PUT', 'faults', {
      mode: 'down',
      property: 'POST /v1/payment_intents/:id/cancel',
      times: 2,
    })
    await atProvider(world, 'PUT', 'webhooks', { hold: true })
    await pay(world, intent)
    await cancel(booking)
    await atProvider(world, 'POST', 'webhooks/release', { order: 'given' })
    await atProvider(world, 'PUT', 'webhooks', { hold: false })
    await until(
      () => refundsOf(intent),
      ([refund]) => refund?.[2] === 'succeeded',
    )
    assert.equal((await ledgerOf(world, intent)).refunds.length, 1)
  })
})

suite('cancellation policy', () => {
  test('invalid settings have the defaults', () => {
    const usual = { freeUntilDays: 1, refundPercent: 0 }
    for (const settings of [
      null,
      {},
      { booking: null },
      { booking: { cancellation_policy: { free_until_days: -1, refund_percent: 101 } } },
      { booking: { cancellation_policy: 'mild' } },
    ])
      assert.deepEqual(parsePolicy(settings), usual)
  })

  test("the days before arrival decide; other reasons than the guest's are refunded in full", () => {
    const policy = { freeUntilDays: 2, refundPercent: 30 }
    const share = (fields: object) =>
      refundShare(policy, { status: 'cancelled', cancellationReason: null, daysBefore: 0, ...fields })
    assert.deepEqual(
      [share({ daysBefore: 2 }), share({ daysBefore: 1 }), share({ daysBefore: -3 })],
      [100, 30, 30],
    )
    assert.deepEqual([share({ cancellationReason: 'host' }), share({ status: 'expired' })], [100, 100])
    assert.equal(percentOf(333, 50), 167)
  })
})
