import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { channexCaller, propertyDate } from '../../test/channex-caller.ts'
import { startChannex } from './server.ts'
import { listen, stopListening } from '../../test/listen.ts'

let channex: Awaited<ReturnType<typeof startChannex>>
beforeEach(async () => (channex = await startChannex()))
afterEach(() => channex.close())

const { api, control, seedProperty, now, advanceMinutes } = channexCaller(() => channex.url)

let ids: Awaited<ReturnType<typeof seedProperty>>
let stay: { checkin_date: string; checkout_date: string }
beforeEach(async () => {
  ids = await seedProperty()
  const nowMs = await now()
  stay = { checkin_date: propertyDate(nowMs, 1), checkout_date: propertyDate(nowMs, 3) }
})

/** A sales channel sends a revision of a booking. */
async function book(fields: object = {}) {
  const rooms = [{ ...stay, room_type_id: ids.double, rate_plan_id: ids.flexible, amount: '276.00' }]
  const body = { property_id: ids.property, ota_name: 'Booking.com', amount: '276.00', rooms, ...fields }
  const { status, body: answered } = await control('POST', 'bookings', body)
  assert.equal(status, 201, JSON.stringify(answered))
  return answered.data as { id: string; attributes: { booking_id: string; inserted_at: string } }
}

const acknowledge = (id: string) => api('POST', `/booking_revisions/${id}/ack`)

type Notice = { event: string; timestamp: string; payload: { revision_id: string } }

describe('webhooks', () => {
  let arrived: { body: Notice; headers: Record<string, unknown>; path: string }[]
  let status: number
  const receiver = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8').on('data', (part: string) => (text += part))
    req.on('end', () => {
      arrived.push({ body: JSON.parse(text) as Notice, headers: req.headers, path: req.url ?? '' })
      res.writeHead(status).end('received')
      receiver.emit('received')
    })
  })
  let callback_url: string
  before(async () => (callback_url = `${await listen(receiver, {})}/hook`))
  after(() => stopListening(receiver))
  beforeEach(() => {
    arrived = []
    status = 200
  })

  async function register(fields: object = {}) {
    const webhook = {
      callback_url,
      event_mask: 'booking',
      property_id: ids.property,
      is_active: true,
      send_data: true,
    }
    const { status, body } = await api('POST', '/webhooks', { webhook: { ...webhook, ...fields } })
    assert.equal(status, 201, JSON.stringify(body))
    return body.data
  }

  async function received(count: number) {
    while (arrived.length < count) await once(receiver, 'received')
    return arrived.map(({ body }) => body)
  }

  test('are inactive and without data by default, and need a URL and events', async () => {
    const { attributes, relationships } = (
      await api('POST', '/webhooks', { webhook: { callback_url, event_mask: '*', property_id: null } })
    ).body.data
    assert.deepEqual([attributes.is_active, attributes.send_data], [false, false])
    assert.equal(relationships.property.data, null)
    const refused = await api('POST', '/webhooks', {
      webhook: { callback_url: 'here', property_id: randomUUID() },
    })
    assert.deepEqual(
      [refused.status, refused.body.errors.details],
      [422, { callback_url: ['is invalid'], event_mask: ["can't be blank"] }],
    )
    await book()
    await register()
    const { id } = await book()
    assert.equal((await received(1))[0]?.payload.revision_id, id)
    assert.equal(arrived.length, 1)
  })

  test('send a booking to its subscribers, with their headers and parameters', async () => {
    await register({ headers: { 'x-secret': 'secret' }, request_params: { from: 'channex' } })
    const elsewhere = await seedProperty()
    await book({ property_id: elsewhere.property })
    const { id, attributes } = await book()
    const [{ timestamp, ...notice }] = (await received(1)) as [Notice]
    assert.ok(!Number.isNaN(Date.parse(timestamp)))
    assert.deepEqual(notice, {
      event: 'booking',
      payload: { booking_id: attributes.booking_id, property_id: ids.property, revision_id: id },
      property_id: ids.property,
      user_id: null,
    })
    assert.deepEqual([arrived[0]?.path, arrived[0]?.headers['x-secret']], ['/hook?from=channex', 'secret'])
  })

  test('each kind of event has a name; unmapped rooms have events too', async () => {
    await register({ event_mask: '*', property_id: null, send_data: false })
    const { booking_id } = (await book()).attributes
    await book({
      booking_id,
      status: 'modified',
      rooms: [{ ...stay, room_type_id: ids.double, rate_plan_id: null }],
    })
    await book({
      booking_id,
      status: 'cancelled',
      rooms: [{ ...stay, room_type_id: null, rate_plan_id: null }],
    })
    const notices = await received(8)
    assert.deepEqual(
      notices.map(({ event }) => event),
      'booking booking_new booking booking_modification booking_unmapped_rate booking booking_cancellation booking_unmapped_room'.split(' '), // prettier-ignore
    )
    assert.ok(notices.every((notice) => !('payload' in notice)))
  })

  test('a revision not acknowledged within thirty minutes is reported once, an acknowledged one never', async () => {
    await register({ event_mask: 'non_acked_booking' })
    const seen = await book()
    const missed = await book()
    await acknowledge(seen.id)
    await advanceMinutes(30)
    await advanceMinutes(30)
    const last = await book()
    await advanceMinutes(30)
    const notices = await received(2)
    assert.deepEqual(
      notices.map(({ event, payload }) => [event, payload.revision_id]),
      [missed, last].map(({ id }) => ['non_acked_booking', id]),
    )
  })

  test('are sent twice or in another order on demand', async () => {
    await register()
    await control('PUT', 'deliveries', { copies: 2, hold: true })
    const first = await book()
    const second = await book()
    assert.deepEqual((await control('GET', 'deliveries')).body.held, 4)
    assert.equal(arrived.length, 0)
    await control('PUT', 'deliveries', { hold: 0, copies: 1 })
    await control('POST', 'deliveries/release', { order: 'reversed' })
    const third = await book()
    const order = (await received(5)).map(({ payload }) => payload.revision_id)
    assert.deepEqual(order, [second.id, second.id, first.id, first.id, third.id])
  })

  test('are retried after a 5xx at the documented times, and not after a 4xx', async () => {
    await register()
    status = 503
    await book()
    await received(1)
    await advanceMinutes(0)
    const waiting = async () => (await control('GET', 'deliveries')).body.waiting
    await advanceMinutes(40 / 60)
    assert.deepEqual([await waiting(), arrived.length], [1, 1])
    status = 410
    await advanceMinutes(20 / 60)
    assert.deepEqual([await waiting(), arrived.length], [0, 2])
    const { attempts } = (await control('GET', 'deliveries')).body
    assert.deepEqual(
      attempts.map(({ attempt, status }: { attempt: number; status: number }) => [attempt, status]),
      [
        [1, 503],
        [2, 410],
      ],
    )
  })

  test('can be tested', async () => {
    const { body } = await api('POST', '/webhooks/test', { webhook: { callback_url } })
    assert.deepEqual(body, { status_code: 200, body: 'received' })
    assert.equal(arrived[0]?.body.event, 'test')
  })
})
