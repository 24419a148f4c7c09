import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { feedIsWhole } from '#test/events.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import {
  addEndpoint,
  deliveriesOf,
  deliveryOf,
  endpointsPath,
  openReceiver,
  verifySignature,
  type Receiver,
} from '#test/webhook-receiver.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let partner: Receiver

before(async () => {
  partner = await openReceiver()
  world.defer(() => partner.close())
})

const allDelivered = (endpoint: { id: string }, count: number) =>
  until(
    () => deliveriesOf(owner, endpoint),
    (found) => found.length === count && found.every(({ status }) => status === 'delivered'),
  )
const receivedIds = (path: string) => partner.at(path).map(({ json }) => json.id)
const period = (from: string, to = new Date(Date.now() + 1_000).toISOString()) => ({ from, to })

suite('test event', () => {
  test('is sent to this endpoint only, whatever its types, and is in no feed', async () => {
    const endpoint = await addEndpoint(owner, `${partner.url}/tested`, { event_types: ['booking.created'] })
    const other = await addEndpoint(owner, `${partner.url}/untested`)
    const made = expectStatus(await owner.post(`${endpointsPath}/${endpoint.id}/test`), 201).webhook_delivery
    assert.deepEqual([made.event_type, made.status], ['webhook.test', 'pending'])
    await allDelivered(endpoint, 1)
    verifySignature(partner.at('/tested')[0]!, endpoint.secret)
    await addSpace(owner)
    await allDelivered(other, 1)
    assert.equal(partner.at('/untested')[0]!.json.type, 'space.created')
    await feedIsWhole(world)
    const { events } = (await owner.get('/api/v1/events')).body
    assert.ok(!ids(events).includes(made.event_id))
    for (const { id } of [endpoint, other]) expectStatus(await owner.delete(`${endpointsPath}/${id}`), 204)
    expectProblem(await owner.get(`/api/v1/webhook-deliveries/${made.id}`), 404, 'not-found')
    expectProblem(await owner.get(`/api/v1/events/${made.event_id}`), 404, 'not-found')
  })
})

suite('replay', () => {
  test('of one delivery sends it once more', async () => {
    const endpoint = await addEndpoint(owner, `${partner.url}/again`, { event_types: ['space.created'] })
    await addSpace(owner)
    const delivery = await deliveryOf(owner, endpoint, ({ status }) => status === 'delivered')
    const replay = await owner.post(`/api/v1/webhook-deliveries/${delivery.id}/replay`)
    const { webhook_delivery: waiting } = expectStatus(replay, 201)
    assert.deepEqual(
      [waiting.id, waiting.status, waiting.attempts, waiting.replays],
      [delivery.id, 'pending', 0, 1],
    )
    await until(
      async () => partner.at('/again').length,
      (calls) => calls === 2,
    )
    await allDelivered(endpoint, 1)
    const [first, second] = partner.at('/again')
    assert.equal(first!.body, second!.body)
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.post(`/api/v1/webhook-deliveries/${delivery.id}/replay`), 404, 'not-found')
    await owner.delete(`${endpointsPath}/${endpoint.id}`)
  })

  test('of a period sends missed events, filtered by status', async () => {
    const event_types = ['space.created', 'space.deleted']
    const endpoint = await addEndpoint(owner, `${partner.url}/period`, { event_types })
    const begin = new Date().toISOString()
    const replay = async (more: object = {}) => {
      const reply = await owner.post(`${endpointsPath}/${endpoint.id}/replay`, { ...period(begin), ...more })
      const { queued } = expectStatus(reply, 201).webhook_replay
      return queued as number
    }
    const taken = await addSpace(owner)
    await allDelivered(endpoint, 1)
    await owner.patch(`${endpointsPath}/${endpoint.id}`, { status: 'disabled' })
    await addSpace(owner)
    await owner.delete(`/api/v1/spaces/${taken.id}`)
    // A job compares an event with the endpoints; were it late, it would find this one active again.
    await world.settled()
    await owner.patch(`${endpointsPath}/${endpoint.id}`, { status: 'active' })
    await world.settled()
    assert.equal(partner.at('/period').length, 1, 'what was missed stays missed until it is asked for')
    assert.equal(await replay({ status: 'failed' }), 0)
    assert.equal(await replay({ types: ['space.deleted'] }), 1)
    await allDelivered(endpoint, 2)
    assert.equal(await replay({ status: 'missing' }), 1)
    await allDelivered(endpoint, 3)
    assert.equal(new Set(receivedIds('/period')).size, 3)
    assert.equal(await replay(), 3)
    await until(
      async () => partner.at('/period').length,
      (calls) => calls === 6,
    )
    await allDelivered(endpoint, 3)
    assert.equal(new Set(receivedIds('/period')).size, 3)
    assert.equal(await replay({ to: '2026-01-02T00:00:00Z', from: '2026-01-01T00:00:00Z' }), 0)
    await owner.delete(`${endpointsPath}/${endpoint.id}`)
  })

  test('of what failed sends at once what waits for its next attempt', async () => {
    const begin = new Date().toISOString()
    partner.answer('/outage', { status: 503, body: '' })
    const endpoint = await addEndpoint(owner, `${partner.url}/outage`, { event_types: ['space.created'] })
    await addSpace(owner)
    const { id } = await deliveryOf(owner, endpoint, (one) => one.response_status === 503)
    const { database } = world.resources
    await database.pipelined({ orgId: world.home.id }, [
      sql`update webhook_deliveries set next_attempt_at = now() + interval '20 hours' where id = ${id}`,
    ])
    partner.answer('/outage', { status: 204, body: '' })
    const path = `${endpointsPath}/${endpoint.id}/replay`
    const reply = await owner.post(path, { ...period(begin), status: 'failed' })
    assert.equal(expectStatus(reply, 201).webhook_replay.queued, 1)
    await allDelivered(endpoint, 1)
    await owner.delete(`${endpointsPath}/${endpoint.id}`)
  })

  test('returns the period in UTC, whatever zone the request names', async () => {
    const endpoint = await addEndpoint(owner, `${partner.url}/zone`, { event_types: ['space.created'] })
    const zoned = period('2026-01-01T00:00:00+05:00', '2026-01-01T24:00:00Z')
    const reply = await owner.post(`${endpointsPath}/${endpoint.id}/replay`, zoned)
    const { from, to } = expectStatus(reply, 201).webhook_replay
    assert.deepEqual([from, to], ['2025-12-31T19:00:00.000Z', '2026-01-02T00:00:00.000Z'])
    await owner.delete(`${endpointsPath}/${endpoint.id}`)
  })

  test('of more than a batch continues until all are due', async () => {
    const endpoint = await addEndpoint(owner, `${partner.url}/many`, { event_types: ['payment.failed'] })
    const run = (statement: ReturnType<typeof sql>) =>
      world.resources.database.pipelined({ orgId: world.home.id }, [statement])
    // All at one moment: the place to go on from must tell them apart.
    await run(sql`insert into events (org_id, type, data, occurred_at)
      select ${world.home.id}, 'payment.failed', '{}', '2026-01-01Z' from generate_series(1, 1001) n`)
    // Nothing is to be sent: only what is queued is looked at.
    await run(
      sql`update webhook_endpoints set held_until = now() + interval '1 day' where id = ${endpoint.id}`,
    )
    const ask = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }
    const reply = await owner.post(`${endpointsPath}/${endpoint.id}/replay`, ask)
    assert.equal(expectStatus(reply, 201).webhook_replay.queued, 1_001)
    const due = sql`select count(*) as due from webhook_deliveries where webhook_endpoint_id = ${endpoint.id}`
    await until(
      async () => (await run(due))[0][0] as { due: number },
      (found) => found.due === 1_001,
    )
    await owner.delete(`${endpointsPath}/${endpoint.id}`)
  })
})
