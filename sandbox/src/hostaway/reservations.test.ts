import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accountId, openHostaway, type Hostaway } from '../../test/hostaway-caller.ts'
import { openRecords } from './store.ts'

let hostaway: Hostaway
before(async () => (hostaway = await openHostaway()))
after(() => hostaway.close())

const stay = {
  channelId: 2000,
  arrivalDate: '2031-05-01',
  departureDate: '2031-05-04',
  guestName: 'Ada Byron',
}
const add = (body: object, query = '') => hostaway.call('POST', `/reservations${query}`, body)
const change = (id: number, body: object, query = '') =>
  hostaway.call('PUT', `/reservations/${id}${query}`, body)
const added = async (extra: object = {}) => {
  const { body } = await add({ ...stay, listingMapId: await hostaway.addListing(), ...extra })
  return body.result
}

describe('creating', () => {
  test('one is created as new and read back', async () => {
    const listingMapId = await hostaway.addListing()
    const { status, body } = await add({ ...stay, listingMapId, numberOfGuests: 2, totalPrice: 640.5 })
    assert.equal(status, 200)
    const { result } = body
    assert.deepEqual(
      [result.status, result.nights, result.channelName, result.guestName, result.totalPrice],
      ['new', 3, 'direct', 'Ada Byron', 640.5],
    )
    assert.equal(result.hostawayReservationId, String(result.id))
    assert.deepEqual((await hostaway.call('GET', `/reservations/${result.id}`)).body.result, result)
  })

  const refused: [string, object][] = [
    ['no channel', { channelId: undefined }],
    ['the channel of wordpress', { channelId: 2017 }],
    ['the channel of another site', { channelId: 2005 }],
    ['no arrival', { arrivalDate: undefined }],
    ['no departure', { departureDate: null }],
    ['no night', { departureDate: stay.arrivalDate }],
    ['a status of old', { status: 'confirmed' }],
    ['an owner who pays', { status: 'ownerStay', totalPrice: 10 }],
    ['no listing', { listingMapId: undefined }],
  ]
  for (const [name, extra] of refused) {
    test(`${name} is refused`, async () => {
      const answer = await add({ ...stay, listingMapId: await hostaway.addListing(), ...extra })
      assert.deepEqual([answer.status, answer.body.status], [400, 'fail'])
    })
  }

  test('an unknown or archived listing accepts none', async () => {
    assert.equal((await add({ ...stay, listingMapId: 1 })).status, 404)
    const archived = await hostaway.addListing({ specialStatus: 'archived' })
    assert.equal((await add({ ...stay, listingMapId: archived })).status, 400)
  })

  test('the provider is stored up to fifty characters', async () => {
    const listingMapId = await hostaway.addListing()
    assert.equal((await add({ ...stay, listingMapId }, `?provider=${'p'.repeat(51)}`)).status, 400)
    const { body } = await add({ ...stay, listingMapId }, `?provider=${'p'.repeat(50)}`)
    assert.equal(body.result.source, 'p'.repeat(50))
  })
})

describe('overbooking', () => {
  test('a night is sold once unless forced; the day of departure is free', async () => {
    const listingMapId = await hostaway.addListing()
    const body = { ...stay, listingMapId }
    assert.equal((await add(body)).status, 200)
    const last = { ...body, arrivalDate: '2031-05-03', departureDate: '2031-05-05' }
    assert.equal((await add(last)).status, 400)
    assert.equal((await add({ ...last, arrivalDate: '2031-05-04' })).status, 200)
    assert.equal((await add({ ...last, status: 'inquiry' })).status, 200)
    assert.equal((await add(last, '?forceOverbooking=1')).status, 200)
  })

  test('a blocked night is not sold', async () => {
    const listingMapId = await hostaway.addListing()
    const night = { startDate: '2031-05-02', endDate: '2031-05-02', isAvailable: 0 }
    await hostaway.call('PUT', `/listings/${listingMapId}/calendarIntervals`, [night])
    assert.equal((await add({ ...stay, listingMapId })).status, 400)
  })

  test('several units are sold one by one', async () => {
    const listingMapId = await hostaway.addListing({ units: 2 })
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await add({ ...stay, listingMapId })).status)
    assert.deepEqual(statuses, [200, 200, 400])
  })
})

describe('changing', () => {
  test('new dates make it modified, within its own nights too', async () => {
    const { id } = await added()
    const moved = (await change(id, { departureDate: '2031-05-06' })).body.result
    assert.deepEqual([moved.status, moved.nights, moved.guestName], ['modified', 5, 'Ada Byron'])
    const noted = (await change(id, { hostNote: 'late', guestName: null })).body.result
    assert.deepEqual([noted.status, noted.hostNote, noted.guestName], ['modified', 'late', 'Ada Byron'])
  })

  test('a note alone leaves it new, and the listing cannot be changed', async () => {
    const { id, listingMapId } = await added()
    const { result } = (await change(id, { hostNote: 'late', listingMapId: 1 })).body
    assert.deepEqual([result.status, result.listingMapId], ['new', listingMapId])
  })

  test('it cannot move to the nights of another', async () => {
    const first = await added()
    const { listingMapId } = first
    const other = (
      await add({ ...stay, listingMapId, arrivalDate: '2031-05-04', departureDate: '2031-05-06' })
    ).body
    assert.equal((await change(other.result.id, { arrivalDate: '2031-05-03' })).status, 400)
    const forced = await change(other.result.id, { arrivalDate: '2031-05-03' }, '?forceOverbooking=1')
    assert.equal(forced.status, 200)
  })

  test('a cancellation records who cancelled, and frees the nights', async () => {
    const { id, listingMapId } = await added()
    const cancel = (body: object) => hostaway.call('PUT', `/reservations/${id}/statuses/cancelled`, body)
    assert.equal((await cancel({})).status, 400)
    assert.equal((await cancel({ cancelledBy: 'guest' })).body.result.status, 'cancelled')
    assert.equal((await add({ ...stay, listingMapId })).status, 200)
  })

  test('an unknown one is 404', async () => {
    assert.equal((await change(1, {})).status, 404)
    assert.equal((await hostaway.call('GET', '/reservations/1')).status, 404)
  })
})

describe('the list', () => {
  let other: Hostaway
  let ids: number[]
  before(async () => {
    other = await openHostaway()
    ids = []
    for (const [channelId, month] of [
      [2000, '07'],
      [2005, '06'],
      [2018, '08'],
      [2000, '05'],
    ] as const) {
      const listingMapId = await other.addListing()
      const { body } = await other.control('POST', 'reservations', {
        ...stay,
        account_id: accountId,
        listingMapId,
        channelId,
        arrivalDate: `2031-${month}-01`,
        departureDate: `2031-${month}-03`,
        guestName: `Guest of ${month}`,
        guestEmail: `${month}@example.com`,
      })
      ids.push(body.reservation.id)
    }
    // The first is the last to change.
    await other.call('PUT', `/reservations/${ids[0]}`, { hostNote: 'x' })
  })
  after(() => other.close())

  const list = async (query: string) => {
    const { body } = await other.call('GET', `/reservations?${query}`)
    return { ...body, places: body.result.map(({ id }: { id: number }) => ids.indexOf(id)) }
  }

  test('a change is newer than those before it, also when the clock is set back', () => {
    const records = openRecords()
    const times = [5_000, 4_000, 4_000, 9_000].map((now) => records.timeOfChange(now))
    assert.deepEqual(times, [5_000, 5_001, 5_002, 9_000])
  })

  test('the newest change comes first, or last with sortOrder', async () => {
    assert.deepEqual((await list('')).places, [0, 3, 2, 1])
    assert.deepEqual((await list('sortOrder=updatedOn')).places, [1, 2, 3, 0])
    assert.deepEqual((await list('sortOrder=arrivalDate')).places, [3, 1, 0, 2])
    assert.deepEqual((await list('sortOrder=arrivalDateDesc')).places, [2, 0, 1, 3])
  })

  test('afterId continues after a reservation in the given order, and offset is ignored', async () => {
    const first = await list('limit=2')
    const second = await list(`limit=2&offset=1&afterId=${ids[first.places[1]]}`)
    assert.deepEqual([...first.places, ...second.places], [0, 3, 2, 1])
    assert.deepEqual([second.count, second.limit, second.offset], [4, 2, null])
    assert.deepEqual((await list(`afterId=${ids[1]}`)).places, [])
    assert.deepEqual((await list(`sortOrder=arrivalDate&afterId=${ids[3]}`)).places, [1, 0, 2])
  })

  test('offset still works', async () => {
    const { places, count, page, totalPages } = await list('limit=3&offset=3')
    assert.deepEqual([places, count, page, totalPages], [[1], 4, 2, 2])
  })

  test('filters', async () => {
    const listing = (await other.call('GET', `/reservations/${ids[2]}`)).body.result.listingMapId
    for (const [query, places] of [
      ['channelId=2000', [0, 3]],
      [`listingId=${listing}`, [2]],
      ['arrivalStartDate=2031-06-01&arrivalEndDate=2031-07-01', [0, 1]],
      ['departureStartDate=2031-08-03', [2]],
      ['departureEndDate=2031-05-03', [3]],
      ['guestEmail=06@example.com', [1]],
      ['match=of%2008', [2]],
    ] as const) {
      assert.deepEqual((await list(query)).places, places, query)
    }
    assert.equal((await other.call('GET', '/reservations?listingId=x')).status, 400)
  })
})
