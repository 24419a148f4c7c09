import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addStay, askFor, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { expireOverdueHolds } from '#features/reservations/bookings/jobs.ts'
import { shareWorld } from '#test/share-world.ts'

/** A booking that ends early cannot be paid any more, and payments are refunded. */

const { world, owner } = shareWorld({ workers: true })

type Stay = { id: string }
const change = async ({ id }: Stay, fields: object) => {
  return expectStatus(await owner.patch(`/api/v1/bookings/${id}`, fields), 200).booking as Stay
}
const expire = async ({ id }: Stay) => {
  const { database } = world.resources
  const over = sql`update bookings set hold_expires_at = now() - interval '1 minute' where id = ${id}`
  await database.pipelined({ orgId: world.home.id }, [over])
  await expireOverdueHolds(world.resources)
  await until(
    async () => (await owner.get(`/api/v1/bookings/${id}`)).body.booking.status,
    (status) => status === 'expired',
  )
}
const remove = async ({ id }: Stay) => {
  expectStatus(await owner.delete(`/api/v1/bookings/${id}`), 204)
}
const reaches = (intent: Stay, status: string) =>
  until(
    () => intentOf(owner, intent),
    (seen) => seen.status === status,
  )
const refundsOf = async ({ id }: Stay) =>
  (await owner.get(`/api/v1/refunds?payment_intent_id=${id}`)).body.refunds

const ends = {
  cancelled: (booking: Stay) => change(booking, { status: 'cancelled' }),
  declined: (booking: Stay) => change(booking, { status: 'declined' }),
  expired: expire,
  deleted: remove,
}

for (const [how, end] of Object.entries(ends))
  suite(`a pending booking that is ${how}`, () => {
    test('cancels open and authorized payments', async () => {
      const booking = await addStay(owner, { status: 'pending' })
      const open = await askFor(owner, booking, { amount: 5_000 })
      const held = await askFor(owner, booking, { amount: 9_000, capture_method: 'manual' })
      await pay(world, held)
      await reaches(held, 'requires_capture')
      await end(booking)
      for (const intent of [open, held]) await reaches(intent, 'canceled')
      assert.equal((await pay(world, open)).error.code, 'payment_intent_unexpected_state')
      expectProblem(
        await owner.post(`/api/v1/payment-intents/${held.id}/capture`, {}),
        409,
        'invalid-status-transition',
      )
    })

    test('refunds payments once', async () => {
      const booking = await addStay(owner, { status: 'pending', totalCents: 30_000 })
      const intent = await askFor(owner, booking)
      await pay(world, intent)
      await reaches(intent, 'succeeded')
      await end(booking)
      await until(
        () => refundsOf(intent),
        ([refund]) => refund?.status === 'succeeded',
      )
      await world.settled()
      const { refunds } = await ledgerOf(world, intent)
      assert.deepEqual(
        refunds.map(({ amount }: { amount: number }) => amount),
        [20_000],
      )
    })
  })

suite('a stay that has ended', () => {
  test('keeps its payments when it is deleted', async () => {
    const importer = await world.home.as('service', { permissions: ['bookings:import', 'bookings:write'] })
    const unitId = (await addUnit(owner, { base_price_cents: 10_000 })).id
    const booking = await addStay(importer, { unitId, checkIn: '2024-07-01', checkOut: '2024-07-03' })
    const intent = await askFor(owner, booking)
    await pay(world, intent)
    await reaches(intent, 'succeeded')
    await change(booking, { status: 'checked_in' })
    await change(booking, { status: 'checked_out' })
    const open = await askFor(owner, await change(booking, { totalCents: 25_000 }), { amount: 5_000 })
    await remove(booking)
    await reaches(open, 'canceled')
    assert.deepEqual(await refundsOf(intent), [])
  })

  test('keeps its payments after a no-show', async () => {
    const booking = await addStay(owner)
    const intent = await askFor(owner, booking)
    await pay(world, intent)
    await reaches(intent, 'succeeded')
    await change(booking, { status: 'no_show' })
    await remove(booking)
    await world.settled()
    assert.deepEqual(await refundsOf(intent), [])
  })
})

suite('concurrent payments and refunds', () => {
  test('all of it asked back ten times at once: it goes back once', async () => {
    const intent = await askFor(owner, await addStay(owner))
    await pay(world, intent)
    await reaches(intent, 'succeeded')
    const path = `/api/v1/payment-intents/${intent.id}/refunds`
    const replies = await Promise.all(Array.from({ length: 10 }, () => owner.post(path, {})))
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectProblem(reply, 409, 'invalid-status-transition')
    await world.settled()
    const { refunds } = await ledgerOf(world, intent)
    assert.deepEqual(
      refunds.map(({ amount }: { amount: number }) => amount),
      [20_000],
    )
  })

  test('a cancellation and a manual refund never exceed the payment', async () => {
    const booking = await addStay(owner)
    const intent = await askFor(owner, booking)
    await pay(world, intent)
    await reaches(intent, 'succeeded')
    const path = `/api/v1/payment-intents/${intent.id}/refunds`
    const asks = [3_000, 12_000, 9_000].map((amount) => owner.post(path, { amount }))
    await Promise.all([...asks, change(booking, { status: 'cancelled' })])
    await world.settled()
    const { refunds } = await ledgerOf(world, intent)
    const sum = refunds.reduce((cents: number, { amount }: { amount: number }) => cents + amount, 0)
    assert.equal(sum, 20_000)
    assert.equal((await intentOf(owner, intent)).amount_refunded, 20_000)
  })

  test('concurrent capture and cancellation end refunded or cancelled', async () => {
    for (let round = 0; round < 5; round++) {
      const intent = await askFor(owner, await addStay(owner), { capture_method: 'manual' })
      await pay(world, intent)
      await reaches(intent, 'requires_capture')
      const path = `/api/v1/payment-intents/${intent.id}`
      const replies = await Promise.all([owner.post(`${path}/capture`, {}), owner.post(`${path}/cancel`)])
      for (const { status } of replies) assert.ok([200, 409].includes(status))
      const seen = await until(
        () => intentOf(owner, intent),
        ({ status, requested }) => ['succeeded', 'canceled'].includes(status) && requested === null,
      )
      const [theirs] = (await ledgerOf(world, intent)).opened
      assert.deepEqual([seen.status, seen.amount_received], [theirs.status, theirs.amount_received])
    }
  })

  test('ten concurrent different payments never exceed the price', async () => {
    const booking = await addStay(owner)
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        owner.post('/api/v1/payment-intents', {
          booking_id: booking.id,
          amount: 20_000 - at,
          currency: 'eur',
        }),
      ),
    )
    const asked = replies.filter(({ status }) => status === 201)
    assert.equal(asked.length, 1)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectProblem(reply, 422, 'semantic-error')
  })
})
