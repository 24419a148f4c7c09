import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { useDisputes } from '#test/disputes.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { askFor, intentOf } from '#test/payments.ts'
import { shareWorld } from '#test/share-world.ts'
import { requeueOverduePayments } from './jobs.ts'

/** The bank of a guest disputes a payment. */

const { world, owner } = shareWorld({ workers: true })
const { addPaid, dispute, move, reaches, alertsOf, refundsOf, refund, run, paidFor } = useDisputes(
  world,
  owner,
)
const dueBy = 1_900_000_000

suite('disputes', () => {
  test('an open one raises an alert and a mail, and the money does not count as paid', async () => {
    expectStatus(
      await owner.put('/api/v1/notification-preferences', { emails: ['office@casa.example'] }),
      200,
    )
    const paid = await addPaid()
    await dispute(paid, { due_by: dueBy, reason: 'product_not_received' })
    const seen = await reaches(paid, 'open')
    const respond_by = new Date(dueBy * 1_000).toISOString()
    const named = { status: 'open', amount: 20_000, reason: 'product_not_received', respond_by }
    assert.deepEqual(seen.dispute, { ...named, closed_at: null })
    assert.equal(seen.status, 'succeeded')
    assert.equal(seen.amount_refunded, 20_000)
    assert.equal(await paidFor(paid), 0)
    assert.deepEqual(
      (await refundsOf(paid)).map((one: Record<string, unknown>) => [
        one['reason'],
        one['status'],
        one['amount'],
      ]),
      [['dispute', 'pending', 20_000]],
    )
    const [alert] = await alertsOf(paid)
    assert.equal(alert.status, 'open')
    assert.match(alert.message, new RegExp(respond_by.slice(0, 10)))
    assert.deepEqual(alert.details.disputes, [
      { ...named, payment_intent_id: paid.intent.id, booking_id: paid.booking.id, currency: 'eur' },
    ])
    await world.settled()
    assert.deepEqual(
      (await eventsOf(world, owner, alert)).map(({ type }: { type: string }) => type),
      ['payment.disputed'],
    )
    const mails = await until(
      async () =>
        expectStatus(await owner.get('/api/v1/notifications?kind=payment.disputed'), 200).notifications,
      (found) => found.length > 0,
    )
    assert.equal(mails[0].to, 'office@casa.example')
    assert.match(mails[0].subject, /200/)
    assert.deepEqual(await alertsOf(paid, await world.home.as('staff')), [])
  })

  test('one that is won gives the money back and closes the alert', async () => {
    const paid = await addPaid()
    const opened = await dispute(paid)
    await reaches(paid, 'open')
    await move(opened, 'under_review')
    await until(
      () => alertsOf(paid),
      ([alert]) => alert.details.disputes[0].respond_by === null,
    )
    await move(opened, 'won')
    const seen = await reaches(paid, 'won')
    assert.deepEqual([seen.amount_refunded, await paidFor(paid)], [0, 20_000])
    assert.equal((await alertsOf(paid))[0].status, 'resolved')
    assert.deepEqual(
      (await refundsOf(paid)).map(({ status }: { status: string }) => status),
      ['canceled'],
    )
    expectStatus(await refund(paid, { amount: 500 }), 201)
  })

  test('one that is won withdraws what the guest was asked for meanwhile', async () => {
    const paid = await addPaid()
    const opened = await dispute(paid)
    await reaches(paid, 'open')
    const again = await askFor(owner, paid.booking)
    await move(opened, 'won')
    await until(
      () => intentOf(owner, again),
      ({ status }) => status === 'canceled',
    )
    assert.equal(await paidFor(paid), 20_000)
  })

  test('one that is lost says that the money is gone, for 30 days', async () => {
    const paid = await addPaid()
    await move(await dispute(paid), 'lost')
    const seen = await reaches(paid, 'lost')
    assert.equal(await paidFor(paid), 0)
    assert.deepEqual(
      (await refundsOf(paid)).map(({ status }: { status: string }) => status),
      ['succeeded'],
    )
    expectProblem(await refund(paid), 409, 'invalid-status-transition')
    const [alert] = await alertsOf(paid)
    assert.deepEqual([alert.status, alert.details.disputes[0].status], ['open', 'lost'])
    await world.settled()
    const types = (await eventsOf(world, owner, alert)).map(({ type }: { type: string }) => type)
    assert.ok(types.every((type: string) => type === 'payment.disputed'))
    assert.deepEqual(
      (await eventsOf(world, owner, paid.intent)).map(({ type }: { type: string }) => type),
      ['payment.succeeded'],
    )

    const isOver = (await run(sql`
      select next_attempt_at > now() + interval '29 days' as waits from payment_intents where id = ${paid.intent.id}`)) as [
      [{ waits: boolean }],
    ]
    assert.ok(isOver[0][0].waits)
    await run(sql`
      update payment_intents
      set next_attempt_at = now() - interval '1 hour',
        dispute = dispute || jsonb_build_object('closed_at', iso(now() - interval '31 days'))
      where id = ${paid.intent.id}`)
    await requeueOverduePayments(world.resources)
    await until(
      () => alertsOf(paid),
      ([one]) => one.status === 'resolved',
    )
    assert.equal((await intentOf(owner, paid.intent)).dispute.amount, seen.dispute.amount)
  })

  test('a lost dispute is notified after an open one', async () => {
    const paid = await addPaid()
    const opened = await dispute(paid)
    await reaches(paid, 'open')
    await move(opened, 'lost')
    await reaches(paid, 'lost')
    await world.settled()
    const [alert] = await alertsOf(paid)
    const events = await eventsOf(world, owner, alert)
    assert.deepEqual(
      events.map(({ data }: { data: typeof alert }) => data.alert.details.disputes[0].status),
      ['open', 'lost'],
    )
  })

  test('an inquiry takes no money, and the payment can be refunded', async () => {
    const paid = await addPaid()
    const inquiry = await dispute(paid, { status: 'warning_needs_response' })
    await reaches(paid, 'inquiry')
    assert.deepEqual([await refundsOf(paid), await paidFor(paid)], [[], 20_000])
    assert.equal((await alertsOf(paid))[0].status, 'open')
    expectStatus(await refund(paid, { amount: 500 }), 201)
    await world.settled()
    assert.equal(await paidFor(paid), 19_500)
    await move(inquiry, 'warning_closed')
    await reaches(paid, 'won')
    assert.equal((await alertsOf(paid))[0].status, 'resolved')
  })

  test('the alert names all disputed payments of the unit', async () => {
    const first = await addPaid()
    const second = await addPaid({ unitId: first.booking.unitId })
    const opened = await dispute(first)
    await reaches(first, 'open')
    await dispute(second)
    await reaches(second, 'open')
    const idsOf = async () =>
      (await alertsOf(first))[0].details.disputes.map((one: { booking_id: string }) => one.booking_id)
    assert.deepEqual(await idsOf(), [second.booking.id, first.booking.id])
    await move(opened, 'won')
    await reaches(first, 'won')
    assert.deepEqual(await idsOf(), [second.booking.id])
  })
})
