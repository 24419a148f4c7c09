import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, rows } from '#db/scope.ts'
import { expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { followChanges } from '#test/sync-stream.ts'
import {
  addEndpoint,
  deliveryOf,
  endpointsPath,
  makeDeliveriesDue,
  openReceiver,
  type Receiver,
} from '#test/webhook-receiver.ts'
import { shareWorld } from '#test/share-world.ts'
import { requeueDueDeliveries } from './jobs.ts'

const { world, owner } = shareWorld({ workers: true })
let partner: Receiver

before(async () => {
  partner = await openReceiver()
  world.defer(() => partner.close())
})

const run = (statement: ReturnType<typeof sql>) =>
  world.resources.database.pipelined({ orgId: world.home.id }, [statement])

/** An endpoint that subscribes to new spaces only, so that one call causes one delivery. */
const listening = (path: string, event_types = ['space.created']) =>
  addEndpoint(owner, `${partner.url}${path}`, { event_types })
const quiet = ({ id }: { id: string }) => owner.delete(`${endpointsPath}/${id}`)

const nextAttempt = async (endpoint: { id: string }) => {
  await makeDeliveriesDue(world, world.home.id, endpoint.id)
  await requeueDueDeliveries(world.resources)
}

suite('disabled endpoint', () => {
  test('is disabled by a 410, with an alert', async () => {
    partner.answer('/gone', { status: 410 })
    const endpoint = await listening('/gone')
    const watching = await listening('/watching', ['webhook.disabled'])
    await addSpace(owner)
    const failed = await deliveryOf(owner, endpoint, ({ status }) => status === 'failed')
    assert.equal(failed.response_status, 410)
    const { webhook_endpoint: off } = (await owner.get(`${endpointsPath}/${endpoint.id}`)).body
    assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'gone'])
    const alerts = async () =>
      (await owner.get('/api/v1/alerts?kind=webhook.disabled&status=open')).body.alerts
    assert.equal((await alerts()).length, 1)
    await until(
      async () => partner.at('/watching').length,
      (calls) => calls === 1,
    )
    assert.equal(partner.at('/watching')[0]!.json.data['webhook_endpoint']!['id'], endpoint.id)
    assert.ok(!partner.at('/watching')[0]!.body.includes('whsec_'))
    await addSpace(owner)
    await world.settled()
    assert.equal(partner.at('/gone').length, 1)
    expectStatus(await owner.patch(`${endpointsPath}/${endpoint.id}`, { status: 'active' }), 200)
    assert.deepEqual(await alerts(), [])
    await quiet(endpoint)
    await quiet(watching)
  })

  test('ends the alert, also when the last two are activated at the same time', async () => {
    partner.answer('/both-gone', { status: 410 })
    const endpoints = [await listening('/both-gone'), await listening('/both-gone')]
    await addSpace(owner)
    for (const endpoint of endpoints) await deliveryOf(owner, endpoint, ({ status }) => status === 'failed')
    const [alert] = (await owner.get('/api/v1/alerts?kind=webhook.disabled&status=open')).body.alerts
    await using stream = await followChanges(world.url, owner)
    const scope = {
      ...{ orgId: world.home.id, accountId: null, traceparent: null, database: world.resources.database },
      actor: { type: 'system', id: 'test', name: 'Test' } as const,
    }
    const activated = await atomically(scope, async (transaction) => {
      await rows(transaction, sql`lock table alerts in access exclusive mode`)
      const replies = endpoints.map(({ id }) => owner.patch(`${endpointsPath}/${id}`, { status: 'active' }))
      await until(
        async () =>
          (await run(sql`select 1 from pg_locks where relation = 'alerts'::regclass and not granted`))[0],
        ({ length }) => length === 2,
      )
      return { replies }
    })
    for (const reply of await Promise.all(activated.replies)) expectStatus(reply, 200)
    const { status } = expectStatus(await owner.get(`/api/v1/alerts/${alert.id}`), 200).alert
    assert.equal(status, 'resolved')
    await until(
      async () => stream.received.some(({ data }) => JSON.stringify(data).includes(alert.id)),
      (isReceived) => isReceived,
    )
    for (const endpoint of endpoints) await quiet(endpoint)
  })

  test('is disabled after five days of failures only', async () => {
    partner.answer('/dead', { status: 500 })
    const endpoint = await listening('/dead')
    await addSpace(owner)
    await deliveryOf(owner, endpoint, (one) => one.response_status === 500)
    const state = async () => (await owner.get(`${endpointsPath}/${endpoint.id}`)).body.webhook_endpoint
    await run(
      sql`update webhook_endpoints set failing_since = now() - interval '4 days 23 hours' where id = ${endpoint.id}`,
    )
    await nextAttempt(endpoint)
    await deliveryOf(
      owner,
      endpoint,
      (one) => one.attempts >= 2 && Date.parse(one.next_attempt_at!) > Date.now(),
    )
    assert.equal((await state()).status, 'active')
    await run(
      sql`update webhook_endpoints set failing_since = now() - interval '5 days 1 hour' where id = ${endpoint.id}`,
    )
    await nextAttempt(endpoint)
    const off = await until(state, ({ status }) => status === 'disabled')
    assert.equal(off.disabled_reason, 'failing')
    await quiet(endpoint)
  })

  test('stays active when its new address fails once', async () => {
    partner.answer('/left', { status: 500 })
    partner.answer('/entered', (nth) => ({ status: nth === 0 ? 503 : 200 }))
    const endpoint = await listening('/left')
    await addSpace(owner)
    await deliveryOf(owner, endpoint, (one) => one.response_status === 500)
    await run(
      sql`update webhook_endpoints set failing_since = now() - interval '5 days 1 hour' where id = ${endpoint.id}`,
    )
    const url = `${partner.url}/entered`
    expectStatus(await owner.patch(`${endpointsPath}/${endpoint.id}`, { url }), 200)
    await nextAttempt(endpoint)
    await deliveryOf(owner, endpoint, (one) => one.response_status === 503)
    await nextAttempt(endpoint)
    await deliveryOf(owner, endpoint, ({ status }) => status === 'delivered')
    await quiet(endpoint)
  })

  test('stays active when its previous address responds with 410 after the change', async () => {
    const changed = Promise.withResolvers<void>()
    partner.answer('/moved-away', { status: 410, after: changed.promise })
    const endpoint = await listening('/moved-away')
    await addSpace(owner)
    await until(
      async () => partner.at('/moved-away').length,
      (calls) => calls === 1,
    )
    const url = `${partner.url}/moved-here`
    expectStatus(await owner.patch(`${endpointsPath}/${endpoint.id}`, { url }), 200)
    changed.resolve()
    const delivery = await deliveryOf(owner, endpoint, ({ status }) => status !== 'pending')
    assert.deepEqual([delivery.status, partner.at('/moved-here').length], ['delivered', 1])
    const { webhook_endpoint: moved } = (await owner.get(`${endpointsPath}/${endpoint.id}`)).body
    assert.deepEqual([moved.status, moved.failing_since], ['active', null])
    await quiet(endpoint)
  })
})
