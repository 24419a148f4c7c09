import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically } from '#db/scope.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addStay, askFor, atProvider, intentOf, ledgerOf, pay, settledIntent } from '#test/payments.ts'
import { addTarget, addUnit, systemScope, unknownId } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { applyExternalBooking } from '#features/reservations/bookings/apply-booking.ts'

/** Payments over HTTP, with a worker and the webhooks of a provider. */

const { world, owner } = shareWorld({ workers: true })

beforeEach(() => atProvider(world, 'DELETE', 'faults'))

const reaches = (intent: { id: string }, status: string) =>
  until(
    () => intentOf(owner, intent),
    (seen) => seen.status === status,
  )
const eventsAbout = (subject: { id: string }) => eventsOf(world, owner, subject)

suite('payments', () => {
  test('a requested payment is paid and reported', async () => {
    const booking = await addStay(owner)
    const intent = await settledIntent(owner, await askFor(owner, booking))
    assert.equal(intent.status, 'requires_payment_method')
    assert.equal(intent.account_id, booking.account_id)
    assert.match(intent.client_secret, new RegExp(`^${intent.provider_reference}_secret_`))
    assert.equal((await pay(world, intent)).status, 'succeeded')
    const paid = await reaches(intent, 'succeeded')
    assert.deepEqual([paid.amount_received, paid.amount_refunded, paid.failure_code], [20_000, 0, null])
    await world.settled()
    const [event, ...others] = await eventsAbout(intent)
    assert.deepEqual([event.type, others.length], ['payment.succeeded', 0])
    assert.equal(event.data.payment_intent.status, 'succeeded')
    assert.equal('client_secret' in event.data.payment_intent, false)
    const { opened } = await ledgerOf(world, intent)
    assert.deepEqual(
      opened.map(({ amount, currency, metadata }: Record<string, object>) => [amount, currency, metadata]),
      [[20_000, 'eur', { payment_intent_id: intent.id, org_id: world.home.id, booking_id: booking.id }]],
    )
    expectProblem(
      await owner.post('/api/v1/payment-intents', { booking_id: booking.id, amount: 1, currency: 'eur' }),
      422,
      'semantic-error',
    )
  })

  test('reports each declined attempt, then the payment', async () => {
    const intent = await askFor(owner, await addStay(owner))
    for (let n = 0; n < 2; n++) {
      await pay(world, intent, 'pm_card_chargeDeclinedInsufficientFunds')
      // Waits for the event of each attempt: failures without one in between are one failure to us.
      await until(
        () => eventsAbout(intent),
        (recorded) => recorded.length === n + 1,
      )
    }
    const declined = await intentOf(owner, intent)
    assert.deepEqual(
      [declined.status, declined.failure_code],
      ['requires_payment_method', 'insufficient_funds'],
    )
    assert.deepEqual(
      (await eventsAbout(intent)).map(({ type }: { type: string }) => type),
      ['payment.failed', 'payment.failed'],
    )
    await pay(world, intent)
    assert.equal((await reaches(intent, 'succeeded')).failure_code, null)
  })

  test('handles authentication and delayed payments', async () => {
    const asked = await askFor(owner, await addStay(owner))
    await pay(world, asked, 'pm_card_authenticationRequired')
    const { provider_reference: reference } = await reaches(asked, 'requires_action')
    await atProvider(world, 'POST', 'authenticate', { payment_intent: reference })
    await reaches(asked, 'succeeded')
    const slow = await askFor(owner, await addStay(owner))
    await pay(world, slow, 'pm_usBankAccount_success')
    const processing = await reaches(slow, 'processing')
    expectProblem(
      await owner.post(`/api/v1/payment-intents/${slow.id}/cancel`),
      409,
      'invalid-status-transition',
    )
    await atProvider(world, 'POST', 'settle', { payment_intent: processing.provider_reference })
    await reaches(slow, 'succeeded')
  })

  test('captures a part, or cancels an authorization', async () => {
    const booking = await addStay(owner)
    const held = await askFor(owner, booking, { capture_method: 'manual' })
    expectProblem(
      await owner.post(`/api/v1/payment-intents/${held.id}/capture`, {}),
      409,
      'invalid-status-transition',
    )
    await pay(world, held)
    await reaches(held, 'requires_capture')
    expectProblem(
      await owner.post(`/api/v1/payment-intents/${held.id}/capture`, { amount: 20_001 }),
      422,
      'semantic-error',
    )
    const taken = expectStatus(
      await owner.post(`/api/v1/payment-intents/${held.id}/capture`, { amount: 15_000 }),
      200,
    )
    assert.equal(taken.payment_intent.requested, null)
    assert.equal((await reaches(held, 'succeeded')).amount_received, 15_000)
    const rest = await askFor(owner, booking, { amount: 5_000 })
    const gone = expectStatus(await owner.post(`/api/v1/payment-intents/${rest.id}/cancel`), 200)
    assert.equal(gone.payment_intent.status, 'canceled')
    assert.notEqual((await askFor(owner, booking, { amount: 5_000 })).id, rest.id)
  })

  test('returns the open payment for an equal request, and rejects more than is outstanding', async () => {
    const booking = await addStay(owner)
    const all = await Promise.all(
      Array.from({ length: 10 }, () => askFor(owner, booking, { amount: 15_000 })),
    )
    assert.equal(new Set(all.map(({ id }) => id)).size, 1)
    assert.equal((await ledgerOf(world, all[0])).opened.length, 1)
    const ask = (fields: object) =>
      owner.post('/api/v1/payment-intents', {
        booking_id: booking.id,
        amount: 5_000,
        currency: 'eur',
        ...fields,
      })
    expectProblem(await ask({ amount: 5_001 }), 422, 'semantic-error')
    expectProblem(await ask({ currency: 'usd' }), 422, 'semantic-error')
    expectProblem(await ask({ amount: 0 }), 400, 'validation-error')
    expectProblem(await ask({ amount: 1.5 }), 400, 'validation-error')
    expectProblem(await ask({ card: { number: '4242424242424242' } }), 400, 'validation-error')
    expectProblem(await ask({ booking_id: unknownId }), 404, 'not-found')
    const theirs = await addStay(await world.away.as('owner'))
    expectProblem(await ask({ booking_id: theirs.id }), 404, 'not-found')
    expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { status: 'cancelled' }), 200)
    expectProblem(await ask({}), 409, 'booking-ended')
  })

  test('withdraws the latest requests when the price is lowered below what is paid and asked for', async () => {
    const booking = await addStay(owner)
    const paid = await askFor(owner, booking, { amount: 5_000 })
    await pay(world, paid)
    await reaches(paid, 'succeeded')
    const [first, last] = [
      await askFor(owner, booking, { amount: 6_000 }),
      await askFor(owner, booking, { amount: 9_000 }),
    ]
    const setTotal = async (totalCents: number) => {
      expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { totalCents }), 200)
      await world.settled()
    }
    await setTotal(11_000)
    await reaches(last, 'canceled')
    assert.equal((await pay(world, last)).error.code, 'payment_intent_unexpected_state')
    assert.deepEqual((await intentOf(owner, first)).requested, null)
    await setTotal(10_999)
    await reaches(first, 'canceled')
    await askFor(owner, booking, { amount: 5_999 })
  })

  test('a revision of the PMS in another currency withdraws requests, and what was paid does not count', async () => {
    const unit = await addUnit(owner)
    const { id: targetId } = await addTarget(owner)
    const revise = (minute: number, currency: string) =>
      atomically(systemScope(world, world.home), (transaction) =>
        applyExternalBooking(transaction, {
          ...{ targetId, externalId: 'other currency', accountId: world.home.accountId, unitId: unit.id },
          ...{ ratePlanId: null, status: 'confirmed', guests: 1, rooms: 1, totalCents: 20_000, currency },
          ...{ arrival: '2030-07-01', departure: '2030-07-03' },
          revisedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
        }),
      )
    const { bookingId } = await revise(1, 'eur')
    const booking = { id: bookingId! }
    const paid = await askFor(owner, booking, { amount: 5_000 })
    await pay(world, paid)
    await reaches(paid, 'succeeded')
    const open = await askFor(owner, booking, { amount: 15_000 })
    const paidCents = async () => {
      const statement = sql<{
        paid: number
      }>`select paid_cents::int as paid from bookings where id = ${booking.id}`
      const [[row]] = await world.resources.database.pipelined({ orgId: world.home.id }, [statement])
      return row!.paid
    }
    assert.equal(await paidCents(), 5_000)
    await revise(2, 'usd')
    await reaches(open, 'canceled')
    assert.equal(await paidCents(), 0)
    await askFor(owner, booking, { amount: 20_000, currency: 'usd' })
    expectStatus(await owner.post(`/api/v1/payment-intents/${paid.id}/refunds`, { amount: 1_000 }), 201)
    await world.settled()
    assert.equal(await paidCents(), 0)
    await revise(3, 'eur')
    assert.equal(await paidCents(), 4_000)
  })

  test('an Idempotency-Key creates one payment', async () => {
    const body = { booking_id: (await addStay(owner)).id, amount: 100, currency: 'eur' }
    const key = { 'idempotency-key': 'pay-1' }
    const first = await owner.post('/api/v1/payment-intents', body, key)
    const again = await owner.post('/api/v1/payment-intents', body, key)
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
    const intent = await settledIntent(owner, first.body.payment_intent)
    assert.equal(again.body.payment_intent.id, intent.id)
    assert.ok(intent.client_secret)
    assert.equal((await ledgerOf(world, intent)).opened.length, 1)
    expectProblem(
      await owner.post('/api/v1/payment-intents', { ...body, amount: 101 }, key),
      422,
      'idempotency-key-reused',
    )
  })

  test('readers see no client secret, and cannot create payments', async () => {
    const booking = await addStay(owner)
    const intent = await settledIntent(owner, await askFor(owner, booking))
    const reader = await world.home.as('service', { permissions: ['payments:read'] })
    assert.equal((await intentOf(reader, intent)).client_secret, null)
    const listed = (await reader.get(`/api/v1/payment-intents?booking_id=${booking.id}`)).body.payment_intents
    assert.deepEqual(listed, [{ ...intent, client_secret: null }])
    expectProblem(await reader.post(`/api/v1/payment-intents/${intent.id}/cancel`), 403, 'forbidden')
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.get(`/api/v1/payment-intents/${intent.id}`), 404, 'not-found')
    expectProblem(await stranger.post(`/api/v1/payment-intents/${intent.id}/cancel`), 404, 'not-found')
  })

  test('cancels what the provider rejects, with the reason', async () => {
    const intent = await settledIntent(owner, await askFor(owner, await addStay(owner), { amount: 49 }))
    assert.deepEqual(
      [intent.status, intent.failure_code, intent.client_secret],
      ['canceled', 'amount_too_small', null],
    )
    assert.equal((await eventsAbout(intent))[0].type, 'payment.failed')
  })
})
