import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { channexCaller, propertyDate, type Shown } from '../../test/channex-caller.ts'
import { startChannex } from './server.ts'

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

const feed = async (query = '') => (await api('GET', `/booking_revisions/feed?${query}`)).body
const idsOf = (list: { data: Shown[] }) => list.data.map(({ id }) => id)
const acknowledge = (id: string) => api('POST', `/booking_revisions/${id}/ack`)

describe('the feed', () => {
  test('lists unacknowledged revisions of the account, oldest first, ten a page', async () => {
    const revisionIds: string[] = []
    for (let n = 0; n < 12; n += 1) revisionIds.push((await book({ ota_reservation_code: String(n) })).id)
    const elsewhere = await seedProperty()
    revisionIds.push((await book({ property_id: elsewhere.property })).id)

    const first = await feed()
    assert.deepEqual(idsOf(first), revisionIds.slice(0, 10))
    assert.deepEqual(first.meta, { page: 1, total: 13, limit: 10 })
    assert.deepEqual(idsOf(await feed('pagination[page]=2')), revisionIds.slice(10))
    assert.deepEqual(idsOf(await feed(`filter[property_id]=${elsewhere.property}`)), revisionIds.slice(12))

    const { status, body } = await acknowledge(revisionIds[0] as string)
    assert.deepEqual([status, body], [200, { meta: { message: 'Success' } }])
    assert.deepEqual(idsOf(await feed()), revisionIds.slice(1, 11))
    assert.equal((await acknowledge(revisionIds[0] as string)).status, 200)
  })

  test('a revision contains what the channel sent, and no more', async () => {
    const { id, attributes } = await book({ rooms: undefined, customer: { name: 'Ada' } })
    const { data } = (await api('GET', `/booking_revisions/${id}`)).body
    assert.equal(data.type, 'booking_revision')
    assert.deepEqual(data.attributes, {
      id,
      booking_id: attributes.booking_id,
      property_id: ids.property,
      status: 'new',
      ota_name: 'Booking.com',
      amount: '276.00',
      customer: { name: 'Ada' },
      inserted_at: attributes.inserted_at,
    })
    assert.match(attributes.inserted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
    const odd = await book({ rooms: [null, { room_type_id: ids.double }], customer: null })
    assert.equal((await api('GET', `/bookings/${odd.attributes.booking_id}`)).status, 200)
    for (const path of [`/booking_revisions/${randomUUID()}`, `/bookings/${randomUUID()}`])
      assert.equal((await api('GET', path)).status, 404)
    assert.equal((await acknowledge(randomUUID())).status, 404)
  })

  test('a revision leaves it after thirty minutes, and can still be read and acknowledged', async () => {
    const { id } = await book()
    await advanceMinutes(29)
    assert.deepEqual(idsOf(await feed()), [id])
    await advanceMinutes(1)
    assert.deepEqual(idsOf(await feed()), [])
    assert.equal((await api('GET', `/booking_revisions/${id}`)).status, 200)
    assert.equal((await acknowledge(id)).status, 200)
  })

  test('a channel must name a property and a known status', async () => {
    for (const fields of [{ property_id: randomUUID() }, { property_id: ids.property, status: 'lost' }])
      assert.equal((await control('POST', 'bookings', fields)).status, 422)
  })
})

describe('bookings', () => {
  test('equal their last revision, and are filtered by its time', async () => {
    const first = await book()
    const { booking_id } = first.attributes
    await advanceMinutes(60)
    const last = await book({ booking_id, status: 'modified', amount: '300.00' })
    const other = await book()

    const { data } = (await api('GET', `/bookings/${booking_id}`)).body
    assert.deepEqual([data.type, data.id, data.attributes.revision_id], ['booking', booking_id, last.id])
    assert.deepEqual([data.attributes.status, data.attributes.amount], ['modified', '300.00'])
    assert.equal((await api('GET', '/booking_revisions')).body.meta.total, 3)

    const since = `filter[inserted_at][gte]=${last.attributes.inserted_at}`
    assert.deepEqual(idsOf((await api('GET', `/bookings?${since}`)).body), [
      booking_id,
      other.attributes.booking_id,
    ])
    const until = `filter[inserted_at][lte]=${first.attributes.inserted_at}`
    assert.deepEqual(idsOf((await api('GET', `/bookings?${until}`)).body), [])
  })

  test('lower availability when they are created; later only with the settings of the property', async () => {
    const [checkin, checkout] = [stay.checkin_date, stay.checkout_date]
    const of = { property_id: ids.property, room_type_id: ids.double }
    const values = [{ ...of, date_from: checkin, date_to: checkout, availability: 2 }]
    await api('POST', '/availability', { values })
    const left = async () => {
      const dates = `filter[date][gte]=${checkin}&filter[date][lte]=${checkout}`
      const { data } = (await api('GET', `/availability?filter[property_id]=${ids.property}&${dates}`)).body
      return Object.values(data[ids.double])
    }
    const { booking_id } = (await book()).attributes
    assert.deepEqual(await left(), [1, 1, 2])
    await book({ booking_id, status: 'cancelled' })
    assert.deepEqual(await left(), [1, 1, 2])

    const settings = { allow_availability_autoupdate_on_cancellation: true }
    await api('PUT', `/properties/${ids.property}`, { property: { settings } })
    const second = await book()
    assert.deepEqual(await left(), [0, 0, 2])
    await book({ booking_id: second.attributes.booking_id, status: 'cancelled' })
    assert.deepEqual(await left(), [1, 1, 2])
  })
})
