import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { channexCaller, islandDate } from '../test/channex-caller.ts'
import { startChannex } from './channex.ts'
import { listen, stopListening } from './listen.ts'

let channex: Awaited<ReturnType<typeof startChannex>>
beforeEach(async () => (channex = await startChannex()))
afterEach(() => channex.close())

const { api, door, plant, now, turn } = channexCaller(() => channex.url)

let ids: Awaited<ReturnType<typeof plant>>
let stay: { checkin_date: string; checkout_date: string }
beforeEach(async () => {
  ids = await plant()
  const nowMs = await now()
  stay = { checkin_date: islandDate(nowMs, 1), checkout_date: islandDate(nowMs, 3) }
})

/** A sales channel says something about a booking. */
async function book(said: object = {}) {
  const rooms = [{ ...stay, room_type_id: ids.double, rate_plan_id: ids.flexible, amount: '276.00' }]
  const body = { property_id: ids.property, ota_name: 'Booking.com', amount: '276.00', rooms, ...said }
  const { status, body: answered } = await door('POST', 'bookings', body)
  assert.equal(status, 201, JSON.stringify(answered))
  return answered.data as { id: string; attributes: { booking_id: string; inserted_at: string } }
}

const acknowledge = (id: string) => api('POST', `/booking_revisions/${id}/ack`)

type Notice = { event: string; timestamp: string; payload: { revision_id: string } }

describe('webhooks', () => {
  let arrived: { body: Notice; headers: Record<string, unknown>; path: string }[]
  let status: number
  const hears = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8').on('data', (part: string) => (text += part))
    req.on('end', () => {
      arrived.push({ body: JSON.parse(text) as Notice, headers: req.headers, path: req.url ?? '' })
      res.writeHead(status).end('heard')
      hears.emit('heard')
    })
  })
  let callback_url: string
  before(async () => (callback_url = `${await listen(hears, {})}/hook`))
  after(() => stopListening(hears))
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

  async function heard(count: number) {
    while (arrived.length < count) await once(hears, 'heard')
    return arrived.map(({ body }) => body)
  }

  test('are silent and empty unless told otherwise, and need an address and events', async () => {
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
    assert.equal((await heard(1))[0]?.payload.revision_id, id)
    assert.equal(arrived.length, 1)
  })

  test('tell of a booking, to whoever asked for it, with the headers and parameters wanted', async () => {
    await register({ headers: { 'x-secret': 'told' }, request_params: { from: 'channex' } })
    const elsewhere = await plant()
    await book({ property_id: elsewhere.property })
    const { id, attributes } = await book()
    const [{ timestamp, ...notice }] = (await heard(1)) as [Notice]
    assert.ok(!Number.isNaN(Date.parse(timestamp)))
    assert.deepEqual(notice, {
      event: 'booking',
      payload: { booking_id: attributes.booking_id, property_id: ids.property, revision_id: id },
      property_id: ids.property,
      user_id: null,
    })
    assert.deepEqual([arrived[0]?.path, arrived[0]?.headers['x-secret']], ['/hook?from=channex', 'told'])
  })

  test('each kind of event has a name; rooms that are not mapped are told of', async () => {
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
    const notices = await heard(8)
    assert.deepEqual(
      notices.map(({ event }) => event),
      'booking booking_new booking booking_modification booking_unmapped_rate booking booking_cancellation booking_unmapped_room'.split(' '), // prettier-ignore
    )
    assert.ok(notices.every((notice) => !('payload' in notice)))
  })

  test('one not acknowledged in thirty minutes is told of once, one that is not at all', async () => {
    await register({ event_mask: 'non_acked_booking' })
    const seen = await book()
    const missed = await book()
    await acknowledge(seen.id)
    await turn(30)
    await turn(30)
    const last = await book()
    await turn(30)
    const notices = await heard(2)
    assert.deepEqual(
      notices.map(({ event, payload }) => [event, payload.revision_id]),
      [missed, last].map(({ id }) => ['non_acked_booking', id]),
    )
  })

  test('come twice, or in another order, on command', async () => {
    await register()
    await door('PUT', 'deliveries', { copies: 2, hold: true })
    const first = await book()
    const second = await book()
    assert.deepEqual((await door('GET', 'deliveries')).body.held, 4)
    assert.equal(arrived.length, 0)
    await door('PUT', 'deliveries', { hold: 0, copies: 1 })
    await door('POST', 'deliveries/release', { order: 'reversed' })
    const third = await book()
    const order = (await heard(5)).map(({ payload }) => payload.revision_id)
    assert.deepEqual(order, [second.id, second.id, first.id, first.id, third.id])
  })

  test('are tried again after a 5xx, at the times they should, and not after another no', async () => {
    await register()
    status = 503
    await book()
    await heard(1)
    await turn(0)
    const waiting = async () => (await door('GET', 'deliveries')).body.waiting
    await turn(40 / 60)
    assert.deepEqual([await waiting(), arrived.length], [1, 1])
    status = 410
    await turn(20 / 60)
    assert.deepEqual([await waiting(), arrived.length], [0, 2])
    const { attempts } = (await door('GET', 'deliveries')).body
    assert.deepEqual(
      attempts.map(({ attempt, status }: { attempt: number; status: number }) => [attempt, status]),
      [
        [1, 503],
        [2, 410],
      ],
    )
  })

  test('can be tried', async () => {
    const { body } = await api('POST', '/webhooks/test', { webhook: { callback_url } })
    assert.deepEqual(body, { status_code: 200, body: 'heard' })
    assert.equal(arrived[0]?.body.event, 'test')
  })
})
