import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { eventsOf } from '#test/events.ts'
import { expectStatus } from '#test/expect.ts'
import { addStay, askFor, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { expireOverdueHolds } from '#features/reservations/bookings/jobs.ts'

/** A hold that has been paid does not expire. */

const { world, owner } = shareWorld({ workers: true })

type Stay = { id: string }
const bookingOf = async ({ id }: Stay) =>
  expectStatus(await owner.get(`/api/v1/bookings/${id}`), 200).booking as Stay & {
    status: string
    holdExpiresAt: string | null
  }
const reaches = (booking: Stay, status: string) =>
  until(
    () => bookingOf(booking),
    (seen) => seen.status === status,
  )
const endHold = async ({ id }: Stay) => {
  const over = sql`update bookings set hold_expires_at = now() - interval '1 minute' where id = ${id} and status = 'pending'`
  await world.resources.database.pipelined({ orgId: world.home.id }, [over])
}
const paid = async (booking: Stay, amount: number) => {
  const intent = await askFor(owner, booking, { amount })
  await pay(world, intent)
  await until(
    () => intentOf(owner, intent),
    ({ status }) => status === 'succeeded',
  )
  await world.settled()
  return intent
}

suite('paid pending booking', () => {
  test('is confirmed and does not expire', async () => {
    const booking = await addStay(owner, { status: 'pending' })
    await paid(booking, 20_000)
    assert.equal((await reaches(booking, 'confirmed')).holdExpiresAt, null)
    await endHold(booking)
    await expireOverdueHolds(world.resources)
    await world.settled()
    assert.equal((await bookingOf(booking)).status, 'confirmed')
    const recorded = (await eventsOf(world, owner, booking)) as { type: string; data: { previous?: Body } }[]
    const change = recorded.filter(({ type }) => type === 'booking.updated')
    assert.deepEqual(
      change.map(({ data }) => data.previous?.['status']),
      ['pending'],
    )
  })

  test('is confirmed with the last partial payment', async () => {
    const booking = await addStay(owner, { status: 'pending' })
    await paid(booking, 12_000)
    assert.equal((await bookingOf(booking)).status, 'pending')
    await paid(booking, 8_000)
    await reaches(booking, 'confirmed')
  })

  test('does not count refunds', async () => {
    const booking = await addStay(owner, { status: 'pending' })
    const first = await paid(booking, 12_000)
    expectStatus(await owner.post(`/api/v1/payment-intents/${first.id}/refunds`, { amount: 2_000 }), 201)
    await world.settled()
    await paid(booking, 8_000)
    assert.equal((await bookingOf(booking)).status, 'pending')
    await paid(booking, 2_000)
    await reaches(booking, 'confirmed')
  })

  test('expires and is refunded when paid too late', async () => {
    const booking = await addStay(owner, { status: 'pending' })
    const intent = await askFor(owner, booking)
    await until(
      () => intentOf(owner, intent),
      ({ client_secret }) => client_secret !== null,
    )
    await endHold(booking)
    await pay(world, intent)
    await world.settled()
    await expireOverdueHolds(world.resources)
    await reaches(booking, 'expired')
    const { refunds } = await until(
      () => ledgerOf(world, intent),
      (seen) => seen.refunds.length > 0,
    )
    assert.deepEqual(
      refunds.map(({ amount }: { amount: number }) => amount),
      [20_000],
    )
  })
})

type Body = Record<string, unknown>
