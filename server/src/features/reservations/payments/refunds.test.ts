import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addStay, askFor, atProvider, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { addUnit, unknownId } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { closeFailedRefundAlerts } from './failed-refund-alert.ts'
import { requeueOverduePayments } from './jobs.ts'

/** Refunds over HTTP. */

const { world, owner } = shareWorld({ workers: true })

beforeEach(() => atProvider(world, 'DELETE', 'faults'))

const reaches = (intent: { id: string }, status: string) =>
  until(
    () => intentOf(owner, intent),
    (seen) => seen.status === status,
  )
const refundsOf = async ({ id }: { id: string }) =>
  (await owner.get(`/api/v1/refunds?payment_intent_id=${id}`)).body.refunds
const refund = (intent: { id: string }, body: object = {}) =>
  owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, body)

suite('refunds', () => {
  const paidStay = async (unitId?: string) => {
    const booking = await addStay(owner, unitId === undefined ? {} : { unitId })
    const intent = await askFor(owner, booking)
    await pay(world, intent)
    const paid = await reaches(intent, 'succeeded')
    // Each notice reads the payment: one that is late would meet a fault that is meant for the refund.
    await world.settled()
    return { booking, intent: paid }
  }

  test('refunds a part, then the rest, then nothing', async () => {
    const { intent } = await paidStay()
    const made = expectStatus(await refund(intent, { amount: 5_000, reason: 'duplicate' }), 201).refund
    assert.deepEqual([made.status, made.amount, made.currency], ['pending', 5_000, 'eur'])
    expectProblem(await refund(intent, { amount: 15_001 }), 422, 'semantic-error')
    expectProblem(await refund(intent, { amount: 0 }), 400, 'validation-error')
    expectStatus(await refund(intent), 201)
    expectProblem(await refund(intent), 409, 'invalid-status-transition')
    await world.settled()
    assert.deepEqual(
      (await refundsOf(intent)).map((one: Record<string, unknown>) => [
        one['amount'],
        one['status'],
        one['reason'],
      ]),
      [
        [5_000, 'succeeded', 'duplicate'],
        [15_000, 'succeeded', 'requested_by_guest'],
      ],
    )
    assert.equal((await intentOf(owner, intent)).amount_refunded, 20_000)
    assert.equal((await ledgerOf(world, intent)).refunds.length, 2)
    const types = (await eventsOf(world, owner, intent)).map(({ type }: { type: string }) => type)
    assert.deepEqual(types, ['payment.succeeded', 'payment.refunded', 'payment.refunded'])
    const read = await owner.get(`/api/v1/refunds/${made.id}`)
    assert.equal(read.body.refund.provider_reference.slice(0, 3), 're_')
    const audit = expectStatus(
      await owner.get(`/api/v1/audit?record_id=${made.id}&record_id=${intent.id}`),
      200,
    )
    const found = audit.audit_entries.map((one: Record<string, unknown>) => [
      one['kind'],
      one['action'],
      one['name'],
    ])
    assert.deepEqual(found[0].slice(1), ['updated', 'Ada'])
    assert.deepEqual(found.at(-1), ['payment_intent', 'created', 'Ada'])
    const created = audit.audit_entries.find(
      ({ kind, action }: Record<string, string>) => kind === 'payment_refund' && action === 'created',
    )
    assert.equal(created.actor.name, 'Home owner')
    assert.ok(
      created.changes.some(
        ({ field, after }: Record<string, unknown>) => field === 'amount' && after === 5_000,
      ),
    )
  })

  test('rejects refunds of unpaid payments', async () => {
    expectProblem(await refund(await askFor(owner, await addStay(owner))), 409, 'invalid-status-transition')
    expectProblem(await refund({ id: unknownId }), 404, 'not-found')
    const { intent } = await paidStay()
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.post(`/api/v1/payment-intents/${intent.id}/refunds`, {}), 404, 'not-found')
  })

  test('records a refund made at the provider', async () => {
    const { intent } = await paidStay()
    await fetch(`${world.payments.url}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_1', 'content-type': 'application/x-www-form-urlencoded' },
      body: `payment_intent=${intent.provider_reference}&amount=700`,
    })
    await until(
      () => intentOf(owner, intent),
      (seen) => seen.amount_refunded === 700,
    )
    expectProblem(await refund(intent, { amount: 19_301 }), 422, 'semantic-error')
  })

  for (const [what, reference] of [
    ['that is pending there', sql`provider_reference`],
    ['that was not made yet when the database was backed up', sql`null`],
  ] as const)
    test(`a refund ${what} is not made twice when the provider has forgotten its key`, async (t) => {
      t.after(() => atProvider(world, 'PUT', 'webhooks', { hold: false }))
      const { intent } = await paidStay()
      await atProvider(world, 'POST', 'refunds', { begin_as: 'pending' })
      expectStatus(await refund(intent, { amount: 5_000 }), 201)
      await world.settled()
      await atProvider(world, 'POST', 'refunds', { begin_as: 'succeeded' })
      const [{ id, provider_reference }] = await refundsOf(intent)
      await atProvider(world, 'PUT', 'webhooks', { hold: true })
      await atProvider(world, 'POST', 'refunds/settle', { refund: provider_reference, status: 'succeeded' })
      // With another number the key is as unknown to the provider as one that it has forgotten.
      await world.resources.database.pipelined({ orgId: world.home.id }, [
        sql`update payment_refunds
          set provider_reference = ${reference}, attempts = 0, key_number = key_number + 1,
            created_at = now() - interval '2 days', next_attempt_at = now() - interval '1 minute'
          where id = ${id}`,
      ])
      await requeueOverduePayments(world.resources)
      await until(
        () => refundsOf(intent),
        ([one]) => one.status === 'succeeded',
      )
      assert.equal((await ledgerOf(world, intent)).refunds.length, 1)
    })

  const alertsOf = async (unitId: string, caller = owner) =>
    expectStatus(await caller.get(`/api/v1/alerts?kind=refund.failed&unit_id=${unitId}`), 200).alerts
  const failLatest = async (intent: { id: string }) => {
    await world.settled()
    const { id, provider_reference } = (await refundsOf(intent)).at(-1)
    await atProvider(world, 'POST', 'refunds/settle', { refund: provider_reference, status: 'failed' })
    await until(
      () => refundsOf(intent),
      (refunds) => refunds.at(-1).status === 'failed',
    )
    return id
  }

  test('a refund that fails later raises an alert until it is repeated', async () => {
    expectStatus(
      await owner.put('/api/v1/notification-preferences', { emails: ['office@casa.example'] }),
      200,
    )
    const { booking, intent } = await paidStay()
    expectStatus(await refund(intent), 201)
    const failedId = await failLatest(intent)
    assert.equal((await intentOf(owner, intent)).amount_refunded, 0)
    const [alert] = await alertsOf(booking.unitId)
    assert.equal(alert.status, 'open')
    assert.deepEqual(alert.details.refunds, [
      {
        ...{ id: failedId, payment_intent_id: intent.id, booking_id: booking.id },
        ...{ amount: 20_000, currency: 'eur', failure_code: 'expired_or_canceled_card' },
      },
    ])
    await world.settled()
    assert.deepEqual(
      (await eventsOf(world, owner, alert)).map(({ type }: { type: string }) => type),
      ['refund.failed'],
    )
    await until(
      async () =>
        expectStatus(await owner.get('/api/v1/notifications?kind=refund.failed'), 200).notifications,
      (mails) => mails.length > 0,
    )
    assert.deepEqual(await alertsOf(booking.unitId, await world.home.as('staff')), [])

    // A part of the amount is not enough.
    expectStatus(await refund(intent, { amount: 5_000 }), 201)
    assert.equal((await alertsOf(booking.unitId))[0].status, 'open')
    expectStatus(await refund(intent), 201)
    assert.equal((await alertsOf(booking.unitId))[0].status, 'resolved')
    await world.settled()
    assert.equal((await intentOf(owner, intent)).amount_refunded, 20_000)
  })

  test('a refund that the provider rejects raises an alert, which follows a stay that moves', async () => {
    const { booking, intent } = await paidStay()
    const other = await addUnit(owner, { base_price_cents: 10_000 })
    await atProvider(world, 'PUT', 'faults', { mode: 'refuse', status: 400, times: 1 })
    expectStatus(await refund(intent), 201)
    await until(
      () => alertsOf(booking.unitId),
      (alerts) => alerts.length === 1,
    )
    expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { unitId: other.id }), 200)
    expectStatus(await refund(intent), 201)
    assert.equal((await alertsOf(booking.unitId))[0].status, 'resolved')
    assert.deepEqual(await alertsOf(other.id), [])
  })

  test('the alert names all refunds of the unit that failed, and closes after 30 days', async () => {
    const first = await paidStay()
    const second = await paidStay(first.booking.unitId)
    for (const { intent } of [first, second]) {
      expectStatus(await refund(intent, { amount: 4_000 }), 201)
      await failLatest(intent)
    }
    const [alert, ...others] = await alertsOf(first.booking.unitId)
    assert.equal(others.length, 0)
    assert.deepEqual(
      alert.details.refunds.map((failed: { booking_id: string }) => failed.booking_id),
      [second.booking.id, first.booking.id],
    )
    // Another refund of the unit is no failure.
    const third = await paidStay(first.booking.unitId)
    const [before] = await alertsOf(first.booking.unitId)
    assert.equal(before.times, 2)
    expectStatus(await refund(third.intent), 201)
    await world.settled()
    assert.deepEqual(await alertsOf(first.booking.unitId), [before])
    await closeFailedRefundAlerts(world.resources)
    assert.equal((await alertsOf(first.booking.unitId))[0].status, 'open')
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update alerts set last_at = now() - interval '31 days' where id = ${alert.id}`,
    ])
    await closeFailedRefundAlerts(world.resources)
    assert.equal((await alertsOf(first.booking.unitId))[0].status, 'resolved')
  })
})
