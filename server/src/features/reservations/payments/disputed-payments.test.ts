import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically } from '#db/scope.ts'
import { useDisputes } from '#test/disputes.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { atProvider, intentOf, ledgerOf, setCancellationPolicy } from '#test/payments.ts'
import { systemScope } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { updateDisputeAlert } from './dispute-alert.ts'
import { findMissedReversals, requeueOverduePayments } from './jobs.ts'

/** Refunds of disputed payments, and disputes whose notices are repeated, out of order or lost. */

const { world, owner } = shareWorld({ workers: true })
const { addPaid, dispute, move, reaches, alertsOf, refundsOf, refund, run } = useDisputes(world, owner)
const cancel = ({ id }: { id: string }, cancellationReason = 'host') =>
  owner.patch(`/api/v1/bookings/${id}`, { status: 'cancelled', cancellationReason })

suite('refunds of disputed payments', () => {
  test('are rejected while the bank decides, also those of a cancellation', async () => {
    const paid = await addPaid()
    await dispute(paid, { amount: 5_000 })
    await reaches(paid, 'open')
    expectProblem(await refund(paid, { amount: 500 }), 409, 'invalid-status-transition')
    const preview = await owner.get(`/api/v1/bookings/${paid.booking.id}/cancellation?reason=host`)
    assert.equal(expectStatus(preview, 200).cancellation.refund_cents, 0)
    expectStatus(await cancel(paid.booking), 200)
    await world.settled()
    assert.deepEqual((await ledgerOf(world, paid.intent)).refunds, [])
    assert.deepEqual(
      (await refundsOf(paid)).map(({ reason }: { reason: string }) => reason),
      ['dispute'],
    )
  })

  test('a cancellation does not refund what a lost dispute took', async () => {
    const paid = await addPaid()
    await move(await dispute(paid), 'lost')
    await reaches(paid, 'lost')
    expectStatus(await cancel(paid.booking), 200)
    await world.settled()
    assert.deepEqual((await ledgerOf(world, paid.intent)).refunds, [])
    assert.equal((await refundsOf(paid)).length, 1)
  })

  for (const [reason, owed] of [
    ['host', true],
    ['guest_request', false],
  ] as const)
    test(`one that is won after a cancellation (${reason}) ${owed ? 'reminds of the refund that is owed' : 'owes nothing by the policy'}`, async (t) => {
      t.after(() => setCancellationPolicy(world, null))
      await setCancellationPolicy(world, { free_until_days: 365, refund_percent: 0 })
      const paid = await addPaid()
      const opened = await dispute(paid)
      await reaches(paid, 'open')
      expectStatus(await cancel(paid.booking, reason), 200)
      await world.settled()
      await move(opened, 'won')
      await reaches(paid, 'won')
      const shown = async () => {
        const [{ status, details }] = await alertsOf(paid)
        return [status, details.disputes.map((one: { status: string }) => one.status)]
      }
      if (!owed) return assert.deepEqual(await shown(), ['resolved', ['open']])
      assert.deepEqual(await shown(), ['open', ['won']])
      await world.settled()
      const [alert] = await alertsOf(paid)
      const [latest] = (await eventsOf(world, owner, alert)).slice(-1)
      assert.equal(latest.data.alert.details.disputes[0].status, 'won', 'it is notified')
      expectStatus(await refund(paid, { amount: 5_000 }), 201)
      assert.deepEqual(await shown(), ['open', ['won']], 'a part is still owed')
      expectStatus(await refund(paid), 201)
      assert.deepEqual(await shown(), ['resolved', ['won']])
    })

  test('a failed refund of a cancellation during an inquiry has one alert when the inquiry is closed', async (t) => {
    t.after(() => atProvider(world, 'POST', 'refunds', { begin_as: 'succeeded' }))
    await atProvider(world, 'POST', 'refunds', { begin_as: 'pending' })
    const paid = await addPaid()
    const inquiry = await dispute(paid, { status: 'warning_needs_response' })
    await reaches(paid, 'inquiry')
    expectStatus(await cancel(paid.booking), 200)
    await world.settled()
    const [{ id }] = (await ledgerOf(world, paid.intent)).refunds
    await atProvider(world, 'POST', 'refunds/settle', { refund: id, status: 'failed' })
    await until(
      () => refundsOf(paid),
      ([one]) => one.status === 'failed',
    )
    await move(inquiry, 'warning_closed')
    await reaches(paid, 'won')
    const { alerts } = (await owner.get(`/api/v1/alerts?status=open&unit_id=${paid.booking.unitId}`)).body
    assert.deepEqual(
      alerts.map(({ kind }: { kind: string }) => kind),
      ['refund.failed'],
    )
  })

  test('what the bank took is not requested from the provider as a refund', async () => {
    const paid = await addPaid()
    await dispute(paid)
    await reaches(paid, 'open')
    const countRequests = async () => {
      const { calls } = await atProvider(world, 'GET', 'calls')
      return calls.filter(({ property }: { property: string }) => property === 'POST /v1/refunds').length
    }
    const before = await countRequests()
    await run(sql`update payment_refunds set next_attempt_at = now() - interval '1 hour'
      where payment_intent_id = ${paid.intent.id}`)
    await requeueOverduePayments(world.resources)
    await world.settled()
    assert.equal(await countRequests(), before)
    assert.deepEqual(
      (await refundsOf(paid)).map(({ status }: { status: string }) => status),
      ['pending'],
    )
  })
})

suite('notices', () => {
  for (const order of ['given', 'reversed'])
    test(`five copies each, ${order}: the same result, with one event`, async (t) => {
      t.after(() => atProvider(world, 'PUT', 'webhooks', { copies: 1, hold: false }))
      const paid = await addPaid()
      await world.settled()
      await atProvider(world, 'PUT', 'webhooks', { copies: 5, hold: true })
      const opened = await dispute(paid)
      await move(opened, 'under_review')
      await move(opened, 'lost')
      await atProvider(world, 'POST', 'webhooks/release', { order })
      await reaches(paid, 'lost')
      await world.settled()
      const [alert] = await alertsOf(paid)
      assert.equal((await eventsOf(world, owner, alert)).length, 1)
      assert.equal((await refundsOf(paid)).length, 1)
    })

  test('a dispute and its end without notices are found by polling', async (t) => {
    t.after(async () => {
      await atProvider(world, 'POST', 'webhooks/release', { order: 'given' })
      await atProvider(world, 'PUT', 'webhooks', { hold: false })
    })
    const paid = await addPaid()
    await world.settled()
    // The payment was read when it was paid, long before the dispute.
    await run(sql`update payment_intents set seen_at = now() - interval '1 day' where id = ${paid.intent.id}`)
    await atProvider(world, 'PUT', 'webhooks', { hold: true })
    const opened = await dispute(paid)
    await findMissedReversals(world.resources, world.resources.payments)
    await reaches(paid, 'open')
    await move(opened, 'won')
    await run(
      sql`update payment_intents set next_attempt_at = now() - interval '1 hour' where id = ${paid.intent.id}`,
    )
    await requeueOverduePayments(world.resources)
    await reaches(paid, 'won')
    assert.equal((await alertsOf(paid))[0].status, 'resolved')
  })

  test('a refund without a notice is found by polling', async (t) => {
    t.after(() => atProvider(world, 'PUT', 'webhooks', { hold: false }))
    const { intent } = await addPaid()
    await world.settled()
    await run(sql`update payment_intents set seen_at = now() - interval '1 day' where id = ${intent.id}`)
    await atProvider(world, 'PUT', 'webhooks', { hold: true })
    const { payments } = world.resources
    const { provider_reference: reference } = await intentOf(owner, intent)
    const lost = { ourId: randomUUID(), orgId: world.home.id, reference, amount: 5_000, currency: 'eur' }
    await payments.refund({ ...lost, reason: 'cancellation' }, lost.ourId, { traceparent: null })
    await findMissedReversals(world.resources, payments)
    await until(
      () => intentOf(owner, intent),
      ({ amount_refunded }) => amount_refunded === 5_000,
    )
  })

  test('the alert names payments of a unit that are disputed at the same moment', async () => {
    const first = await addPaid()
    const second = await addPaid({ unitId: first.booking.unitId })
    const scope = systemScope(world, world.home)
    const disputed = { status: 'open', amount: 100, reason: 'general', respond_by: null, closed_at: null }
    const open = ({ intent }: typeof first, meanwhile = async () => {}) =>
      atomically(scope, async (transaction) => {
        await transaction.connection.run(
          sql`update payment_intents set dispute = ${JSON.stringify(disputed)}::jsonb where id = ${intent.id}`,
        )
        await updateDisputeAlert(transaction, intent.id)
        await meanwhile()
      })
    let other = Promise.resolve()
    await open(first, async () => {
      other = open(second)
      await until(
        () => run(sql`select 1 from pg_locks where not granted`),
        ([waiting]) => waiting.length > 0,
      )
    })
    await other
    const [alert] = await alertsOf(first)
    assert.deepEqual(
      alert.details.disputes.map((one: { payment_intent_id: string }) => one.payment_intent_id).sort(),
      [first.intent.id, second.intent.id].sort(),
    )
  })
})
