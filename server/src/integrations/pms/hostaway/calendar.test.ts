import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nightOf } from '#schema/nights.ts'
import {
  content,
  day,
  deliver,
  gateBefore,
  openHostawayAccount,
  updateOf,
  rate,
  run,
  took,
  writes,
  type HostawayAccount,
} from '#test/hostaway-account.ts'
import type { UnitUpdate } from '../pms.ts'

let account: HostawayAccount
before(async () => {
  account = await openHostawayAccount()
  await account.connection.checkAccess({})
})
after(() => account.close())

const all = { price_cents: 10_000, min_stay_arrival: 2, max_stay: null, closed_to_arrival: false }
const terms = { ...all, min_stay_through: 1, closed_to_departure: false, stop_sell: false }

const column = async (id: number, to: number, name: string) =>
  (await account.nights(id, day(0), day(to))).map((night) => night[name])
const send = (one: UnitUpdate) => account.sentBy(() => deliver(account.connection, one))

describe('the calendar', () => {
  test('sends rooms and terms of a listing in one message, each night once', async () => {
    const id = await account.addListing()
    const rooms = [
      { ...run(0, 1), available: 1 },
      { ...run(2, 3), available: 0 },
    ]
    const rates = [rate(0, 2, terms), rate(3, 5, { price_cents: 9_999 })]
    const { result, calls } = await send(updateOf(id, { rooms, rates }))
    assert.deepEqual(took(result), {
      contentAccepted: true,
      acceptedRooms: rooms,
      acceptedRates: rates,
      failure: null,
    })
    const [message] = writes(calls)
    assert.equal(message?.path, `/v1/listings/${id}/calendarIntervals`)
    const wanted = { price: 100, minimumStay: 2, maximumStay: 1125, closedOnArrival: 0, closedOnDeparture: 0 }
    assert.deepEqual(message?.body, [
      { startDate: day(2), endDate: day(2), isAvailable: 0, ...wanted },
      { startDate: day(3), endDate: day(3), isAvailable: 0, price: 99.99 },
      { startDate: day(0), endDate: day(1), isAvailable: 1, ...wanted },
      { startDate: day(4), endDate: day(5), price: 99.99 },
    ])
    assert.deepEqual(await column(id, 6, 'isAvailable'), [1, 1, 0, 0, 1, 1, 1])
    assert.deepEqual(await column(id, 6, 'price'), [100, 100, 100, 99.99, 99.99, 99.99, 211.62])
    assert.equal(result.exchanges.length, writes(calls).length)
  })

  test('a change of one term of one night is one call that says nothing else', async () => {
    const id = await account.addListing()
    const { calls } = await send(updateOf(id, { rates: [rate(3, 3, { closed_to_arrival: true })] }))
    assert.deepEqual(
      calls.map(({ method, body }) => [method, body]),
      [['PUT', [{ startDate: day(3), endDate: day(3), closedOnArrival: 1 }]]],
    )
    assert.deepEqual(await column(id, 4, 'closedOnArrival'), [null, null, null, 1, null])
  })

  test('no longest stay lifts the one that there was', async () => {
    const id = await account.addListing({ maxNights: 30 })
    await send(updateOf(id, { rates: [rate(0, 0, { max_stay: 5 })] }))
    await send(updateOf(id, { rates: [rate(0, 0, { max_stay: null })] }))
    assert.deepEqual(await column(id, 1, 'maximumStay'), [1125, 30])
  })

  test('terms that Hostaway does not know need no call and count as taken', async () => {
    const id = await account.addListing()
    const rates = [rate(0, 5, { min_stay_through: 3, stop_sell: true })]
    const { result, calls } = await send(updateOf(id, { rates }))
    assert.deepEqual(calls, [])
    assert.deepEqual(took(result), {
      contentAccepted: true,
      acceptedRooms: [],
      acceptedRates: rates,
      failure: null,
    })
  })

  test('prices keep the decimals of their currency', async () => {
    const id = await account.addListing({ currencyCode: 'JPY' })
    const rates = [rate(0, 0, { price_cents: 12_000 })]
    await send(updateOf(id, { rates, content: { ...content, currency: 'jpy' } }))
    await send(
      updateOf(id, {
        rates: [rate(1, 1, { price_cents: 12_345 })],
        content: { ...content, currency: 'kwd' },
      }),
    )
    assert.deepEqual(await column(id, 1, 'price'), [12_000, 12.345])
  })

  test('sends the number of rooms to a multi-unit listing, which is read only once', async () => {
    const id = await account.addListing({ units: 4 })
    const rooms = [
      { ...run(0, 0), available: 3 },
      { ...run(1, 1), available: 0 },
    ]
    const { calls } = await send(updateOf(id, { rooms }))
    assert.deepEqual(await column(id, 2, 'availableUnitsToSell'), [3, 0, 4])
    assert.deepEqual(
      calls.map(({ method }) => method),
      ['GET', 'PUT'],
    )
    const again = await send(updateOf(id, { rooms: [{ ...run(2, 2), available: 1 }] }))
    assert.equal(again.calls.length, 1)
    assert.deepEqual(await column(id, 2, 'availableUnitsToSell'), [3, 0, 1])
  })

  test('500 nights with weekends, seasons and sold out weeks are one call', async () => {
    const id = await account.addListing()
    const rates = Array.from({ length: 71 }, (_, week) => [
      rate(week * 7, week * 7 + 4, { ...terms, price_cents: 10_000 + Math.floor(week / 12) }),
      rate(week * 7 + 5, week * 7 + 6, { ...terms, price_cents: 14_000 }),
    ]).flat()
    const rooms = [
      { ...run(0, 139), available: 1 },
      { ...run(140, 145), available: 0 },
      { ...run(146, 496), available: 1 },
    ]
    const { result, calls } = await send(updateOf(id, { rooms, rates }))
    assert.equal(result.failure, null)
    assert.equal(writes(calls).length, 1)
    assert.equal((await column(id, 496, 'price')).filter((price) => price === 140).length, 142)
  })

  test('500 nights that all differ are three calls, sold out nights in the first', async () => {
    const id = await account.addListing()
    const rates = Array.from({ length: 500 }, (_, night) =>
      rate(night, night, { ...terms, price_cents: 10_000 + night }),
    )
    const rooms = [
      { ...run(0, 489), available: 1 },
      { ...run(490, 499), available: 0 },
    ]
    const { result, calls } = await send(updateOf(id, { rooms, rates }))
    assert.deepEqual(took(result), {
      contentAccepted: true,
      acceptedRooms: rooms,
      acceptedRates: rates,
      failure: null,
    })
    const sizes = writes(calls).map(({ body }) => (body as object[]).length)
    assert.deepEqual(sizes, [200, 200, 100])
    assert.equal((writes(calls)[0]!.body as { isAvailable: number }[])[9]?.isAvailable, 0)
    assert.deepEqual(
      await column(id, 499, 'price'),
      rates.map(({ date_from }) => 100 + (nightOf(date_from) - nightOf(day(0))) / 100),
    )
  })

  test('what was taken before a call failed counts, and the rest is named', async () => {
    const id = await account.addListing()
    const rates = Array.from({ length: 300 }, (_, night) =>
      rate(night, night, { price_cents: 10_000 + night }),
    )
    const rateLimiter = gateBefore(2, () => account.fault({ mode: 'refuse', status: 503, times: 1 }))
    const delivery = await deliver(account.connection, updateOf(id, { rates, changedFields: ['name'] }), {
      rateLimiter,
    })
    assert.deepEqual(took(delivery), {
      contentAccepted: false,
      acceptedRooms: [],
      acceptedRates: rates.slice(0, 200),
      failure: 'pms_unavailable',
    })
  })

  test('a run is cut where only a part of it was taken', async () => {
    const id = await account.addListing()
    const rates = [rate(0, 299, { min_stay_arrival: 2 })]
    // Every second night has another price, so that one run becomes three hundred intervals.
    const prices = Array.from({ length: 150 }, (_, n) => rate(n * 2, n * 2, { price_cents: 5_000 }))
    const rateLimiter = gateBefore(2, () => account.fault({ mode: 'down', times: 1 }))
    const delivery = await deliver(account.connection, updateOf(id, { rates: [...rates, ...prices] }), {
      rateLimiter,
    })
    assert.equal(delivery.failure?.code, 'network')
    assert.deepEqual(delivery.acceptedRates, [rate(0, 199, { min_stay_arrival: 2 }), ...prices.slice(0, 100)])
  })
})
