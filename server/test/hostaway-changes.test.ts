import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from './expect.ts'
import { decide, goLive, hostawayWorld, openAccount, type Account, type Interval } from './hostaway-live.ts'

// Reading back would be among the calls that these tests count.
const setup = hostawayWorld({ env: { SYNC_VERIFY_AFTER_MS: '600000' } })

const of = ({ rooms, day }: Account, room: number, from: number, to = from) => ({
  unit_id: rooms[room]!.unitId,
  date_from: day(from),
  date_to: day(to),
})
const interval = ({ day }: Account, from: number, to = from) => ({ startDate: day(from), endDate: day(to) })

/** One change by a user, and what it tells one listing: in one call, and no other call is made. */
async function intervalsSentFor(account: Account, ...values: object[]): Promise<Interval[]> {
  const { all, calendars } = await account.arriving(() => decide(setup, ...values))
  assert.deepEqual(
    all.map(({ method, path, status }) => [method, path, status]),
    [['PUT', `/v1/listings/${account.rooms[0]!.id}/calendarIntervals`, 200]],
  )
  return calendars[0]!.body
}

suite('Hostaway: first push', () => {
  test('one token, one message for each listing with 500 nights, one for its content', async () => {
    await using account = await openAccount(setup, { rooms: 3, live: false })
    for (const room of [0, 1, 2])
      await decide(setup, { ...of(account, room, 30, 44), price_cents: 20_050 + 100 * room, max_stay: 7 })
    const arrived = await account.arriving(() => goLive(setup, account))
    assert.deepEqual([arrived.tokens.length, arrived.calendars.length, arrived.listings.length], [1, 3, 3])
    assert.ok(arrived.all.every(({ status }) => status === 200))
    for (const [room, { id }] of account.rooms.entries()) {
      const { body } = arrived.calendars.find(({ path }) => path.includes(`/${id}/`))!
      const terms = {
        isAvailable: 1,
        price: 100 + 10 * room,
        minimumStay: 1,
        maximumStay: 1125,
        closedOnArrival: 0,
        closedOnDeparture: 0,
      }
      assert.deepEqual(body, [
        { ...interval(account, 0, 29), ...terms },
        { ...interval(account, 30, 44), ...terms, price: 200.5 + room, maximumStay: 7 },
        { ...interval(account, 45, 499), ...terms },
      ])
      const content = arrived.listings.find(({ path }) => path === `/v1/listings/${id}`)!.body
      assert.deepEqual(
        [content['personCapacity'], content['price'], content['currencyCode']],
        [4, 100 + 10 * room, 'EUR'],
      )
    }
    const { proof } = (await setup.owner.get(`/api/v1/sync/proof/${account.rooms[2]!.listingId}`)).body
    assert.deepEqual([proof.in_sync, proof.differences], [true, []])
  })

  test('a replay keeps every id and requests no other token', async () => {
    await using account = await openAccount(setup, { rooms: 2 })
    const arrived = await account.arriving(async () =>
      expectStatus(
        await setup.owner.post('/api/v1/sync/replays', { channel_target_id: account.targetId }),
        201,
      ),
    )
    assert.deepEqual([arrived.tokens.length, arrived.calendars.length, arrived.listings.length], [0, 2, 2])
    for (const { listingId, id } of account.rooms) {
      const { channel_listing } = (await setup.owner.get(`/api/v1/channel-listings/${listingId}`)).body
      assert.deepEqual([channel_listing.external_id, channel_listing.status], [String(id), 'active'])
    }
  })
})

suite('Hostaway: one action is one call for each listing', () => {
  test('one price for one night is one interval in major units', async () => {
    await using account = await openAccount(setup)
    assert.deepEqual(await intervalsSentFor(account, { ...of(account, 0, 21), price_cents: 33_345 }), [
      { ...interval(account, 21), price: 333.45 },
    ])
    const shown = await account.shown(0, 20, 22)
    assert.deepEqual(
      shown.map(({ price }) => price),
      [100, 333.45, 100],
    )
  })

  test('several prices of several listings are one call each', async () => {
    await using account = await openAccount(setup, { rooms: 3 })
    const { all, calendars } = await account.arriving(() =>
      decide(
        setup,
        { ...of(account, 0, 21), price_cents: 30_000 },
        { ...of(account, 1, 25, 26), price_cents: 40_000 },
        { ...of(account, 1, 30), price_cents: 50_000 },
        { ...of(account, 2, 29, 31), price_cents: 60_000 },
      ),
    )
    assert.equal(all.length, 3)
    assert.deepEqual(
      new Map(calendars.map(({ path, body }) => [path.split('/')[3], body])),
      new Map<string | undefined, object[]>([
        [String(account.rooms[0]!.id), [{ ...interval(account, 21), price: 300 }]],
        [
          String(account.rooms[1]!.id),
          [
            { ...interval(account, 25, 26), price: 400 },
            { ...interval(account, 30), price: 500 },
          ],
        ],
        [String(account.rooms[2]!.id), [{ ...interval(account, 29, 31), price: 600 }]],
      ]),
    )
  })

  test('half a year is one interval; weekends are one each', async () => {
    await using account = await openAccount(setup)
    const span = of(account, 0, 14, 196)
    assert.deepEqual(await intervalsSentFor(account, { ...span, price_cents: 43_200, min_stay_arrival: 2 }), [
      { ...interval(account, 14, 196), price: 432, minimumStay: 2 },
    ])
    const weekends = await intervalsSentFor(account, {
      ...span,
      weekdays: ['fri', 'sat'],
      price_cents: 50_000,
    })
    assert.ok(weekends.length >= 26 && weekends.length <= 27, `${weekends.length} intervals`)
  })

  test('restrictions and closures of one change are one interval, and so is their removal', async () => {
    await using account = await openAccount(setup)
    const span = of(account, 0, 14, 29)
    const terms = { min_stay_arrival: 4, max_stay: 9, closed_to_arrival: true, closed_to_departure: true }
    assert.deepEqual(await intervalsSentFor(account, { ...span, ...terms }), [
      {
        ...interval(account, 14, 29),
        minimumStay: 4,
        maximumStay: 9,
        closedOnArrival: 1,
        closedOnDeparture: 1,
      },
    ])
    const back = Object.fromEntries(Object.keys(terms).map((name) => [name, null]))
    assert.deepEqual(await intervalsSentFor(account, { ...span, ...back }), [
      {
        ...interval(account, 14, 29),
        minimumStay: 1,
        maximumStay: 1125,
        closedOnArrival: 0,
        closedOnDeparture: 0,
      },
    ])
  })

  test('another currency sends all prices again, because equal amounts are other numbers', async () => {
    await using account = await openAccount(setup)
    const unit = `/api/v1/units/${account.rooms[0]!.unitId}`
    const yen = { currency: 'jpy', base_price_cents: 10_000 }
    const { calendars } = await account.arriving(() => setup.owner.patch(unit, yen))
    const [all] = calendars.flatMap(({ body }) => body)
    assert.deepEqual(
      [all?.startDate, all?.endDate, all?.['price']],
      [account.day(0), account.day(499), 10_000],
    )
  })

  test('a stop sell is an unavailable night, and its end an available one', async () => {
    await using account = await openAccount(setup)
    for (const [stop_sell, isAvailable, status] of [
      [true, 0, 'blocked'],
      [false, 1, 'available'],
    ] as const) {
      assert.deepEqual(await intervalsSentFor(account, { ...of(account, 0, 14, 16), stop_sell }), [
        { ...interval(account, 14, 16), isAvailable },
      ])
      assert.deepEqual(
        (await account.shown(0, 14, 17)).map((night) => night['status']),
        [status, status, status, 'available'],
      )
    }
  })
})

suite('Hostaway: listings of several units', () => {
  test('get the number of units to sell, with blocks, stop sells and new quantities', async () => {
    await using account = await openAccount(setup, { units: 6 })
    const span = of(account, 0, 10, 12)
    assert.deepEqual(await intervalsSentFor(account, { ...span, blocked: 2 }), [
      { ...interval(account, 10, 12), desiredUnitsToSell: 4 },
    ])
    assert.deepEqual(await intervalsSentFor(account, { ...of(account, 0, 11), stop_sell: true }), [
      { ...interval(account, 11), desiredUnitsToSell: 0 },
    ])
    assert.deepEqual(
      (await account.shown(0, 9, 12)).map(({ availableUnitsToSell }) => availableUnitsToSell),
      [6, 4, 0, 4],
    )
    const fewer = await account.arriving(() =>
      setup.owner.patch(`/api/v1/units/${account.rooms[0]!.unitId}`, { quantity: 5 }),
    )
    assert.deepEqual(
      fewer.calendars[0]!.body.map(({ startDate, endDate, desiredUnitsToSell }) => [
        startDate,
        endDate,
        desiredUnitsToSell,
      ]),
      [
        [account.day(0), account.day(9), 5],
        [account.day(10), account.day(10), 3],
        [account.day(12), account.day(12), 3],
        [account.day(13), account.day(499), 5],
      ],
    )
  })

  test('a sales stop closes every listing, and lifting it restores the values', async () => {
    await using account = await openAccount(setup, { units: 2 })
    await intervalsSentFor(account, { ...of(account, 0, 10, 12), blocked: 1 })
    const before = await account.shown(0, 0, 499)
    const body = { unit_id: account.rooms[0]!.unitId }
    let stopId = ''
    const stopped = await account.arriving(async () => {
      stopId = expectStatus(await setup.owner.post('/api/v1/sales-stops', body), 201).sales_stop.id
    })
    assert.deepEqual(stopped.calendars[0]!.body, [{ ...interval(account, 0, 499), desiredUnitsToSell: 0 }])
    await account.arriving(() => setup.owner.delete(`/api/v1/sales-stops/${stopId}`))
    assert.deepEqual(await account.shown(0, 0, 499), before)
  })
})

suite('Hostaway: values that it does not show', () => {
  test('are sent although they changed while the target was paused', async () => {
    await using account = await openAccount(setup)
    const pause = `/api/v1/channel-targets/${account.targetId}/pause`
    expectStatus(await setup.owner.post(pause, {}), 201)
    const { unit } = expectStatus(await setup.owner.get(`/api/v1/units/${account.rooms[0]!.unitId}`), 200)
    expectStatus(await setup.owner.patch(`/api/v1/spaces/${unit.space_id}`, { country: 'NO' }), 200)
    const { listings } = await account.arriving(() => setup.owner.delete(pause))
    assert.deepEqual(
      listings.map(({ body }) => body['countryCode']),
      ['NO'],
    )
  })
})
