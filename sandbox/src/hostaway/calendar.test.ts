import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openHostaway, villa, type Hostaway, type Night } from '../../test/hostaway-caller.ts'

let hostaway: Hostaway
before(async () => (hostaway = await openHostaway()))
after(() => hostaway.close())

const column = (nights: Night[], name: string) => nights.map((one) => one[name])

describe('reading', () => {
  test('a night without values has those of the listing', async () => {
    const id = await hostaway.addListing({ minNights: 2, maxNights: 30 })
    const { id: number, ...rest } = await hostaway.night(id, '2031-05-01')
    assert.ok(Number.isSafeInteger(number))
    assert.deepEqual(rest, {
      date: '2031-05-01',
      isAvailable: 1,
      isProcessed: 1,
      status: 'available',
      price: villa.price,
      minimumStay: 2,
      maximumStay: 30,
      closedOnArrival: null,
      closedOnDeparture: null,
      note: null,
      countAvailableUnits: null,
      availableUnitsToSell: null,
      countPendingUnits: null,
      countBlockingReservations: null,
      countBlockedUnits: null,
      desiredUnitsToSell: null,
      reservations: [],
    })
  })

  test('both ends are included, across months and leap days', async () => {
    const id = await hostaway.addListing()
    const dates = column(await hostaway.nights(id, '2032-02-28', '2032-03-01'), 'date')
    assert.deepEqual(dates, ['2032-02-28', '2032-02-29', '2032-03-01'])
  })

  test('the last possible month has an end', async () => {
    const id = await hostaway.addListing()
    assert.equal((await hostaway.nights(id, '9999-12-01', '9999-12-31')).length, 31)
  })

  test('without dates it starts today', async () => {
    const id = await hostaway.addListing()
    const { now } = (await hostaway.setClockAhead(0)).body
    const { result } = (await hostaway.call('GET', `/listings/${id}/calendar`)).body
    assert.equal(result[0].date, now.slice(0, 10))
    assert.equal(result.length, 31)
  })

  test('reservations are included only with includeResources', async () => {
    const id = await hostaway.addListing()
    await hostaway.reserve(id, '2031-06-01', '2031-06-02')
    assert.deepEqual((await hostaway.night(id, '2031-06-01'))['reservations'], [])
    const [night] = await hostaway.nights(id, '2031-06-01', '2031-06-01', '&includeResources=1')
    const [reservation] = night?.['reservations'] as Night[]
    assert.deepEqual([reservation?.['listingMapId'], reservation?.['status']], [id, 'new'])
  })

  for (const query of ['startDate=2031-02-30', 'startDate=soon', 'startDate=2031-05-02&endDate=2031-05-01']) {
    test(`${query} is refused`, async () => {
      const id = await hostaway.addListing()
      const answer = await hostaway.call('GET', `/listings/${id}/calendar?${query}`)
      assert.deepEqual([answer.status, answer.body.status], [400, 'fail'])
    })
  }
})

describe('writing', () => {
  test('many ranges in one call; the answer is empty, and the nights are read back', async () => {
    const id = await hostaway.addListing()
    const { status, body } = await hostaway.write(id, [
      { startDate: '2031-05-01', endDate: '2031-05-03', price: 300.25, minimumStay: 3, maximumStay: 9 },
      {
        startDate: '2031-05-03',
        endDate: '2031-05-04',
        closedOnArrival: 1,
        closedOnDeparture: 0,
        note: 'fair',
      },
      { startDate: '2031-05-04', endDate: '2031-05-04', isAvailable: 0 },
    ])
    assert.deepEqual([status, body], [200, { status: 'success', result: [] }])
    const nights = await hostaway.nights(id, '2031-04-30', '2031-05-05')
    assert.deepEqual(column(nights, 'price'), [villa.price, 300.25, 300.25, 300.25, villa.price, villa.price])
    assert.deepEqual(column(nights, 'minimumStay'), [1, 3, 3, 3, 1, 1])
    assert.deepEqual(column(nights, 'maximumStay'), [1125, 9, 9, 9, 1125, 1125])
    assert.deepEqual(column(nights, 'closedOnArrival'), [null, null, null, 1, 1, null])
    assert.deepEqual(column(nights, 'closedOnDeparture'), [null, null, null, 0, 0, null])
    assert.deepEqual(column(nights, 'isAvailable'), [1, 1, 1, 1, 0, 1])
    assert.deepEqual(column(nights, 'status').slice(3), ['available', 'blocked', 'available'])
    assert.equal(nights[3]?.['note'], 'fair')
  })

  test('one range answers with its nights', async () => {
    const id = await hostaway.addListing()
    const body = { startDate: '2031-05-01', endDate: '2031-05-02', price: 80, isProcessed: 0 }
    const answer = await hostaway.call('PUT', `/listings/${id}/calendar`, body)
    assert.deepEqual(column(answer.body.result, 'price'), [80, 80])
    assert.deepEqual(column(answer.body.result, 'isProcessed'), [1, 1])
    assert.deepEqual(answer.body.result, await hostaway.nights(id, '2031-05-01', '2031-05-02'))
  })

  test('the later range wins, and values that a range does not name stay', async () => {
    const id = await hostaway.addListing()
    const dates = { startDate: '2031-05-01', endDate: '2031-05-01' }
    await hostaway.write(id, [
      { ...dates, price: 10, minimumStay: 2, note: 'a' },
      { ...dates, price: 20 },
    ])
    await hostaway.write(id, [{ ...dates, minimumStay: 5, price: null, note: null }])
    const { price, minimumStay, note } = await hostaway.night(id, '2031-05-01')
    assert.deepEqual([price, minimumStay, note], [20, 5, null])
  })

  test('a change of the listing price changes the nights without a price of their own', async () => {
    const id = await hostaway.addListing()
    await hostaway.write(id, [{ startDate: '2031-05-01', endDate: '2031-05-01', price: 10 }])
    await hostaway.call('PUT', `/listings/${id}`, { price: 500 })
    assert.deepEqual(column(await hostaway.nights(id, '2031-05-01', '2031-05-02'), 'price'), [10, 500])
  })

  test('two hundred ranges are accepted, and one more is not', async () => {
    const id = await hostaway.addListing()
    const range = { startDate: '2031-05-01', endDate: '2031-05-01', price: 10 }
    assert.equal((await hostaway.write(id, Array(201).fill(range))).status, 400)
    assert.equal((await hostaway.night(id, '2031-05-01'))['price'], villa.price)
    assert.equal((await hostaway.write(id, Array(200).fill(range))).status, 200)
    assert.equal((await hostaway.night(id, '2031-05-01'))['price'], 10)
  })

  test('a past night is accepted like any other', async () => {
    const id = await hostaway.addListing()
    const answer = await hostaway.write(id, [{ startDate: '2020-01-01', endDate: '2020-01-01', price: 10 }])
    assert.equal(answer.status, 200)
    assert.equal((await hostaway.night(id, '2020-01-01'))['price'], 10)
  })

  const dates = { startDate: '2031-05-01', endDate: '2031-05-01' }
  const refused: [string, unknown][] = [
    ['no array', dates],
    ['no first date', [{ endDate: '2031-05-01' }]],
    ['no last date', [{ startDate: '2031-05-01' }]],
    ['dates the wrong way round', [{ startDate: '2031-05-02', endDate: '2031-05-01' }]],
    ['a date that does not exist', [{ startDate: '2031-02-29', endDate: '2031-03-01' }]],
    ['a year of six digits', [{ startDate: '2031-05-01', endDate: '300000-01-01' }]],
    ['a range without end', [{ startDate: '2031-05-01', endDate: '2099-01-01', price: 1 }]],
    ['a price in words', [{ ...dates, price: '10' }]],
    ['a price below zero', [{ ...dates, price: -1 }]],
    ['no night to stay', [{ ...dates, minimumStay: 0 }]],
    ['half a night', [{ ...dates, maximumStay: 1.5 }]],
    ['true instead of 1', [{ ...dates, isAvailable: true }]],
    ['2 instead of 1', [{ ...dates, closedOnArrival: 2 }]],
    ['a range that is text', ['2031-05-01']],
  ]
  for (const [name, body] of refused) {
    test(`${name} is refused together with the rest of the call`, async () => {
      const id = await hostaway.addListing()
      const good = { ...dates, price: 55 }
      const answer = await hostaway.write(id, Array.isArray(body) ? [good, ...body] : body)
      assert.deepEqual([answer.status, answer.body.status], [400, 'fail'])
      if (Array.isArray(body)) assert.match(answer.body.result, /^Interval at index 1: /)
      assert.equal((await hostaway.night(id, '2031-05-01'))['price'], villa.price)
    })
  }
})
