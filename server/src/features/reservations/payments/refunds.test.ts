import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addStay, askFor, atProvider, intentOf, ledgerOf, pay } from '#test/payments.ts'
import { unknownId } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
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
  const paidStay = async () => {
    const booking = await addStay(owner)
    const intent = await askFor(owner, booking)
    await pay(world, intent)
    return { booking, intent: await reaches(intent, 'succeeded') }
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

  test('a refund that fails later can be repeated', async () => {
    const { intent } = await paidStay()
    expectStatus(await refund(intent), 201)
    await world.settled()
    const [{ provider_reference }] = await refundsOf(intent)
    await atProvider(world, 'POST', 'refunds/settle', { refund: provider_reference, status: 'failed' })
    await until(
      () => intentOf(owner, intent),
      (seen) => seen.amount_refunded === 0,
    )
    expectStatus(await refund(intent), 201)
    await world.settled()
    assert.equal((await intentOf(owner, intent)).amount_refunded, 20_000)
  })
})
