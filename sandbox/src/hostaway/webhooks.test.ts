import assert from 'node:assert/strict'
import { beforeEach, afterEach, describe, test } from 'node:test'
import { accountId, openHostaway, type Hostaway } from '../../test/hostaway-caller.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'

const path = '/webhooks/unifiedWebhooks'
const dayMs = 86_400_000

let hostaway: Hostaway
let receiver: Awaited<ReturnType<typeof openReceiver>>
beforeEach(async () => {
  hostaway = await openHostaway()
  receiver = await openReceiver()
})
afterEach(async () => {
  await hostaway.close()
  await receiver.close()
})

type Delivery = {
  state: string
  payload: { data: { n: number } }
  attempts: { status: number | null }[]
  alerted: string | null
}

const register = async (extra: object = {}) =>
  (await hostaway.call('POST', path, { url: receiver.url, ...extra })).body.result
const send = (n: number) =>
  hostaway.control('POST', 'events', {
    account_id: accountId,
    object: 'thing',
    event: 'thing.done',
    data: { n },
  })
const deliveries = async (): Promise<Delivery[]> =>
  (await hostaway.control('GET', 'deliveries')).body.deliveries
/** Resolves when nothing that is due is being sent. */
const settled = () => hostaway.setClockAhead(0)
const numbers = () => receiver.bodies.map(({ data }) => data.n)

describe('registration', () => {
  test('one is created, listed, changed and deleted', async () => {
    const created = await register({ login: 'me', password: 'secret', alertingEmailAddress: 'a@example.com' })
    const { id, insertedOn, ...rest } = created
    assert.ok(id && insertedOn)
    assert.deepEqual(rest, {
      url: receiver.url,
      login: 'me',
      password: '****',
      alertingEmailAddress: 'a@example.com',
      isEnabled: 1,
    })
    assert.deepEqual((await hostaway.call('GET', path)).body, { status: 'success', result: [created] })
    const changed = await hostaway.call('PUT', `${path}/${id}`, { isEnabled: 0 })
    assert.deepEqual(changed.body.result, { ...created, isEnabled: 0 })
    assert.deepEqual((await hostaway.call('GET', `${path}/${id}`)).body.result, changed.body.result)
    const removed = await hostaway.call('DELETE', `${path}/${id}`)
    assert.deepEqual([removed.status, removed.body], [200, { status: 'success', result: [] }])
    assert.equal((await hostaway.call('GET', `${path}/${id}`)).status, 404)
  })

  for (const body of [
    {},
    { url: 'nowhere' },
    { url: 'ftp://example.com' },
    { url: 'http://127.0.0.1/', isEnabled: 2 },
    { url: 'http://127.0.0.1/', login: 7 },
    { url: 'http://127.0.0.1/', alertingEmailAddress: 'nobody' },
  ]) {
    test(`${JSON.stringify(body)} is refused`, async () => {
      const answer = await hostaway.call('POST', path, body)
      assert.deepEqual([answer.status, answer.body.status], [400, 'fail'])
    })
  }
})

describe('deliveries', () => {
  test('a created or changed reservation is sent as it is read, with the login', async () => {
    await register({ login: 'me', password: 's:cret' })
    const listingMapId = await hostaway.addListing()
    const { body } = await hostaway.control('POST', 'reservations', {
      account_id: accountId,
      listingMapId,
      channelId: 2018,
      arrivalDate: '2031-05-01',
      departureDate: '2031-05-03',
    })
    const { id } = body.reservation
    const read = async () => (await hostaway.call('GET', `/reservations/${id}`)).body.result
    await settled()
    const [created] = receiver.bodies
    assert.deepEqual(created, {
      object: 'reservation',
      event: 'reservation.created',
      accountId,
      data: await read(),
    })
    await hostaway.control('PATCH', `reservations/${id}`, { status: 'cancelled' })
    await settled()
    const { event, data } = receiver.bodies[1]!
    assert.deepEqual([event, data], ['reservation.updated', await read()])
    const secret = Buffer.from('me:s:cret').toString('base64')
    assert.deepEqual(receiver.logins, [`Basic ${secret}`, `Basic ${secret}`])
  })

  test('every enabled webhook of the account gets every event, and no other webhook does', async () => {
    await register()
    await register({ url: `${receiver.url}/second` })
    await register({ url: `${receiver.url}/off`, isEnabled: 0 })
    await send(1)
    await settled()
    assert.deepEqual(receiver.paths.sort(), ['/', '/second'])
    await hostaway.control('POST', 'events', { account_id: 7, object: 'o', event: 'e', data: {} })
    await settled()
    assert.equal(receiver.paths.length, 2)
    assert.deepEqual(receiver.logins, [undefined, undefined])
  })

  test('copies are sent on demand', async () => {
    await register()
    await hostaway.control('PUT', 'deliveries', { copies: 3 })
    await send(1)
    await settled()
    assert.deepEqual(numbers(), [1, 1, 1])
    assert.equal((await hostaway.control('PUT', 'deliveries', { copies: 1_000_000 })).status, 422)
  })

  test('held deliveries are released in the given order', async () => {
    await register()
    await hostaway.control('PUT', 'deliveries', { hold: 1 })
    for (const n of [1, 2, 3]) await send(n)
    await settled()
    assert.deepEqual(numbers(), [])
    await hostaway.control('POST', 'deliveries/release', { order: 'reversed' })
    assert.deepEqual(numbers(), [3, 2, 1])
    for (const n of [4, 5]) await send(n)
    await hostaway.control('POST', 'deliveries/release', { order: 'given' })
    assert.deepEqual(numbers(), [3, 2, 1, 4, 5])
    await hostaway.control('PUT', 'deliveries', { hold: 0 })
    await send(6)
    await settled()
    assert.equal(numbers().at(-1), 6)
  })

  for (const status of [500, 503, 429]) {
    test(`${status} is retried three times within an hour, then given up with an alert`, async () => {
      await register({ alertingEmailAddress: 'ops@example.com' })
      receiver.status = status
      await send(1)
      await settled()
      assert.deepEqual(numbers(), [1])
      await hostaway.setClockAhead(10_000)
      assert.deepEqual(numbers(), [1, 1])
      await hostaway.setClockAhead(10_000)
      assert.deepEqual(numbers(), [1, 1], 'pauses grow')
      await hostaway.setClockAhead(30 * 60_000)
      await hostaway.setClockAhead(50 * 60_000)
      await hostaway.setClockAhead(dayMs)
      assert.deepEqual(numbers(), [1, 1, 1, 1])
      const [delivery] = await deliveries()
      assert.deepEqual([delivery?.state, delivery?.alerted], ['failed', 'ops@example.com'])
      assert.deepEqual(
        delivery?.attempts.map((attempt) => attempt.status),
        [status, status, status, status],
      )
    })
  }

  test('a receiver that recovers gets what it missed', async () => {
    await register()
    receiver.status = 503
    await send(1)
    await settled()
    receiver.status = 200
    await hostaway.setClockAhead(10_000)
    assert.deepEqual(numbers(), [1, 1])
    assert.equal((await deliveries())[0]?.state, 'delivered')
  })

  test('an unreachable receiver is retried', async () => {
    const away = await openReceiver()
    await away.close()
    await register({ url: away.url })
    await send(1)
    await settled()
    const [delivery] = await deliveries()
    assert.deepEqual([delivery?.state, delivery?.attempts.map(({ status }) => status)], ['waiting', [null]])
  })

  test('another 4xx is final', async () => {
    await register()
    receiver.status = 404
    await send(1)
    await settled()
    await hostaway.setClockAhead(dayMs)
    assert.deepEqual(numbers(), [1])
    const [delivery] = await deliveries()
    assert.deepEqual([delivery?.state, delivery?.alerted], ['failed', 'the owner of the account'])
  })

  test('five consecutive days of failures disable a webhook; enabling it resets the count', async () => {
    const { id } = await register()
    const isEnabled = async () => (await hostaway.call('GET', `${path}/${id}`)).body.result.isEnabled
    const failOneDay = async () => {
      receiver.status = 400
      await send(0)
      await hostaway.setClockAhead(dayMs)
    }
    for (let day = 1; day <= 4; day += 1) await failOneDay()
    assert.equal(await isEnabled(), 1)
    receiver.status = 200
    await send(1)
    await settled()
    for (let day = 1; day <= 4; day += 1) await failOneDay()
    assert.equal(await isEnabled(), 1, 'one success breaks the row')
    await failOneDay()
    assert.equal(await isEnabled(), 0)
    const seen = receiver.bodies.length
    receiver.status = 200
    await send(2)
    await settled()
    assert.equal(receiver.bodies.length, seen)
    await hostaway.call('PUT', `${path}/${id}`, { isEnabled: 1 })
    await failOneDay()
    assert.equal(await isEnabled(), 1)
  })
})
