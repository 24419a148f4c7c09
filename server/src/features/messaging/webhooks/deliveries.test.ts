import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectStatus } from '#test/expect.ts'
import { addSpace, addUnit } from '#test/records.ts'
import { addLinkedUnit, setPrice, until } from '#test/linked-units.ts'
import {
  addEndpoint,
  deliveriesOf,
  deliveryOf,
  endpointsPath,
  makeDeliveriesDue,
  openReceiver,
  verifySignature,
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

suite('webhook deliveries', () => {
  test('sends an event once, signed, as it is in the feed', async () => {
    const endpoint = await listening('/one')
    const space = await addSpace(owner)
    const delivery = await deliveryOf(owner, endpoint, ({ status }) => status === 'delivered')
    const [call, ...others] = partner.at('/one')
    assert.deepEqual(others, [])
    assert.deepEqual(verifySignature(call!, endpoint.secret), call!.json)
    assert.deepEqual([call!.json.type, call!.json.data['space']], ['space.created', space])
    assert.equal(call!.headers['webhook-id'], call!.json.id)
    const { event } = expectStatus(await owner.get(`/api/v1/events/${call!.json.id}`), 200)
    assert.deepEqual(event, {
      ...{ id: call!.json.id, org_id: world.home.id, account_id: world.home.accountId },
      ...{ type: 'space.created', subject_id: space.id, occurred_at: call!.json.timestamp, data: { space } },
    })
    assert.deepEqual(call!.json, { ...event, timestamp: event.occurred_at })
    assert.deepEqual(
      [delivery.attempts, delivery.response_status, delivery.response_body, delivery.error_message],
      [1, 200, 'thanks', null],
    )
    assert.ok(delivery.duration_ms! >= 0)
    const { webhook_endpoint } = (await owner.get(`${endpointsPath}/${endpoint.id}`)).body
    assert.ok(webhook_endpoint.last_delivery_at)
    assert.throws(() => verifySignature({ ...call!, body: `${call!.body} ` }, endpoint.secret))
    await quiet(endpoint)
  })

  test('signs with both secrets after a rotation, also while an earlier delivery is open', async () => {
    const rotation = Promise.withResolvers<void>()
    partner.answer('/rotating', (nth) => ({ status: 200, ...(nth === 0 && { after: rotation.promise }) }))
    const endpoint = await listening('/rotating')
    const called = (count: number) =>
      until(
        async () => partner.at('/rotating').length,
        (calls) => calls === count,
      )
    await addSpace(owner)
    await called(1)
    const reply = await owner.post(`${endpointsPath}/${endpoint.id}/secret`)
    const { webhook_endpoint: rotated } = expectStatus(reply, 201)
    await addSpace(owner)
    await called(2)
    rotation.resolve()
    for (const secret of [endpoint.secret, rotated.secret])
      verifySignature(partner.at('/rotating')[1]!, secret)
    await quiet(endpoint)
  })

  test('sends only subscribed types, and only of its account', async () => {
    const other = await listening('/units', ['unit.updated', 'unit.deleted'])
    const unit = await addUnit(owner)
    await owner.patch(`/api/v1/units/${unit.id}`, { max_guests: 9 })
    await owner.patch(`/api/v1/units/${unit.id}`, { max_guests: 9 })
    await owner.delete(`/api/v1/units/${unit.id}`)
    await until(
      async () => partner.at('/units').length,
      (calls) => calls === 2,
    )
    await world.settled()
    const received = partner.at('/units').map(({ json }) => [json.type, json.data['unit']!['max_guests']])
    assert.deepEqual(received.sort(), [
      ['unit.deleted', 9],
      ['unit.updated', 9],
    ])
    await quiet(other)
  })

  test('records sync.completed only while an endpoint subscribes to it', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const endpoint = await listening('/synced', ['sync.completed'])
    await setPrice(owner, linked, 12_300)
    await until(
      async () => partner.at('/synced'),
      (calls) =>
        calls.some(({ json }) => json.data['sync_status']!['channel_listing_id'] === linked.listingId),
    )
    await quiet(endpoint)
    // Not by the feed: it waits for transactions that are still open, whosever they are.
    const received = async () =>
      (await run(sql`select 1 from events where type = 'sync.completed'`))[0].length
    const before = await received()
    await setPrice(owner, linked, 12_400)
    await world.settled()
    assert.equal(await received(), before)
    assert.equal(before, partner.at('/synced').length)
  })

  test('retries failures up to ten times', async () => {
    partner.answer('/broken', { status: 500, body: 'oh no' })
    const endpoint = await listening('/broken')
    await addSpace(owner)
    for (let attempts = 1; attempts < 10; attempts++) {
      const failed = await deliveryOf(
        owner,
        endpoint,
        // The first retry follows after five seconds by itself.
        (one) =>
          one.status === 'failed' ||
          (one.attempts >= attempts &&
            one.response_status === 500 &&
            Date.parse(one.next_attempt_at!) > Date.now()),
      )
      if (failed.status === 'failed') break
      assert.deepEqual(
        [failed.status, failed.response_body, failed.error_message],
        ['pending', 'oh no', 'The endpoint responded with 500.'],
      )
      await nextAttempt(endpoint)
    }
    const over = await deliveryOf(owner, endpoint, ({ status }) => status === 'failed')
    assert.deepEqual([over.attempts, over.next_attempt_at], [10, null])
    assert.equal(new Set(partner.at('/broken').map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(partner.at('/broken').map(({ body }) => body)).size, 1)
    assert.equal(partner.at('/broken').length, 10)
    await quiet(endpoint)
  })

  test('a receiver that recovers gets the event, and is no longer failing', async () => {
    partner.answer('/back', { status: 502, body: '' })
    const endpoint = await listening('/back')
    await addSpace(owner)
    await deliveryOf(owner, endpoint, (one) => one.response_status === 502)
    const state = async () => (await owner.get(`${endpointsPath}/${endpoint.id}`)).body.webhook_endpoint
    assert.ok((await state()).failing_since)
    partner.answer('/back', { status: 204, body: '' })
    await nextAttempt(endpoint)
    const delivered = await deliveryOf(owner, endpoint, ({ status }) => status === 'delivered')
    assert.deepEqual([delivered.attempts, delivered.error_message], [partner.at('/back').length, null])
    assert.equal((await state()).failing_since, null)
    await quiet(endpoint)
  })

  test('respects Retry-After, also for other events', async () => {
    partner.answer('/later', (nth) =>
      nth === 0 ? { status: 429, headers: { 'retry-after': '3600' } } : { status: 200 },
    )
    const endpoint = await listening('/later')
    await addSpace(owner)
    const failed = await deliveryOf(owner, endpoint, (one) => one.response_status === 429)
    assert.ok(Date.parse(failed.next_attempt_at!) > Date.now() + 3_500_000)
    await addSpace(owner)
    await until(
      () => deliveriesOf(owner, endpoint),
      (all) => all.length === 2,
    )
    await world.settled()
    await nextAttempt(endpoint)
    await world.settled()
    assert.equal(partner.at('/later').length, 1)
    await run(sql`update webhook_endpoints set held_until = now() where id = ${endpoint.id}`)
    await requeueDueDeliveries(world.resources)
    await until(
      () => deliveriesOf(owner, endpoint),
      (all) => all.every(({ status }) => status === 'delivered'),
    )
    assert.equal(partner.at('/later').length, 3)
    await quiet(endpoint)
  })

  test('does not follow a redirect', async () => {
    partner.answer('/moved', { status: 307, headers: { location: `${partner.url}/elsewhere` } })
    const endpoint = await listening('/moved')
    await addSpace(owner)
    const failed = await deliveryOf(owner, endpoint, (one) => one.response_status === 307)
    assert.match(failed.error_message!, /not followed/)
    assert.equal(partner.at('/elsewhere').length, 0)
    await quiet(endpoint)
  })

  test('cuts an endless response, and uses its status', async () => {
    partner.answer('/long', { status: 200, body: 'x'.repeat(200_000) })
    const endpoint = await listening('/long')
    await addSpace(owner)
    await deliveryOf(owner, endpoint, ({ status }) => status === 'delivered')
    partner.answer('/long', { status: 400, body: `\0${'é'.repeat(3_000)}` })
    await addSpace(owner)
    const all = await until(
      () => deliveriesOf(owner, endpoint),
      (found) => found.some((one) => one.response_status === 400),
    )
    assert.equal(all.find((one) => one.response_status === 400)!.response_body, 'é'.repeat(1_023))
    await quiet(endpoint)
  })
})
