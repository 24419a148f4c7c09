import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, rows } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { eventsOf } from '#test/events.ts'
import { expectStatus } from '#test/expect.ts'
import { addStay, askFor, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { until } from '#test/linked-units.ts'
import { systemScope } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { ConfirmPaid, expireOverdueHolds } from '#features/reservations/bookings/jobs.ts'
import { confirmPaid } from './confirm-paid.ts'

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
/** What a worker does when a job is done. */
const endFirstJob = async ({ id }: Stay) => {
  const owner = openOwner(world.databaseUrl)
  const isDone = sql`delete from queue.jobs where data ->> 'job' = 'confirm-paid' and data #>> '{payload,bookingId}' = ${id}`
  await owner.pipelined({ orgId: null }, [isDone])
  await owner.close()
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

  test('is confirmed when its price falls to what was paid', async () => {
    const booking = await addStay(owner, { status: 'pending' })
    await paid(booking, 12_000)
    expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { totalCents: 12_000 }), 200)
    await reaches(booking, 'confirmed')
  })

  test('is confirmed by a payment that commits after a job for an earlier one has read', async () => {
    const booking = await addStay(owner, { status: 'pending' })
    await paid(booking, 12_000)
    const { id } = await askFor(owner, booking, { amount: 8_000 })
    await world.settled()
    const scope = systemScope(world, world.home)
    const jobs = [{ payload: { bookingId: booking.id } }]
    await world.withoutWorkers(async () => {
      await atomically(scope, (transaction) => enqueue(transaction, ConfirmPaid, jobs))
      await atomically(scope, async (transaction) => {
        await rows(
          transaction,
          sql`update payment_intents set status = 'succeeded', amount_received = amount where id = ${id}`,
        )
        await enqueue(transaction, ConfirmPaid, jobs)
        await transaction.connection.flush()
        await confirmPaid(scope, booking.id)
        await endFirstJob(booking)
      })
    })
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
