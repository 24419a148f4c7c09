import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { maxNightsAhead } from '#schema/nights.ts'
import { expectStatus } from '#test/expect.ts'
import { localDay } from '#test/local-days.ts'
import { addBooking, addCharge, addPlan, addQuote, addSpace, addStop, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld()

const path = '/api/v1/availability'
const stay = { from: '2030-07-10', to: '2030-07-13' }
const search = async (query: object, caller = owner) =>
  expectStatus(await caller.get(`${path}?${new URLSearchParams({ ...stay, ...query })}`), 200)
type Shown = { unit_id: string; name: string; [member: string]: unknown }
const found = async (query: object, caller = owner): Promise<Shown[]> =>
  (await search(query, caller)).availability
const namesOf = async (query: object, caller = owner) => (await found(query, caller)).map(({ name }) => name)

const decide = async (unit_id: string, fields: object) => {
  const value = { unit_id, date_from: '2030-07-10', date_to: '2030-07-12', ...fields }
  expectStatus(await owner.post('/api/v1/calendar', { values: [value] }), 201)
}
const dearAndCheap = async (fields: object = {}) => {
  const { id } = await addSpace(owner, { currency: 'eur' })
  const units = []
  for (const [name, price] of [
    ['Cheap', 10_000],
    ['Middle', 20_000],
    ['Dear', 30_000],
  ] as const)
    units.push(
      await addUnit(owner, { space_id: id, name, base_price_cents: price, max_guests: 2, ...fields }),
    )
  return { space_id: id, units }
}

suite('availability: happy', () => {
  test('returns available units with the price of a quote', async () => {
    const space = await addSpace(owner, { name: 'Alfama', city: 'Lisboa', country: 'PT', currency: 'eur' })
    const unit = await addUnit(owner, {
      space_id: space.id,
      name: 'Loft',
      type: 'loft',
      base_price_cents: 10_000,
      max_guests: 3,
      quantity: 4,
    })
    await addCharge(owner, { space_id: space.id, kind: 'fee', amount_cents: 4_100 })
    await addBooking(owner, { unitId: unit.id, checkIn: '2030-07-12', checkOut: '2030-07-20' })
    const [shown, ...others] = await found({ unit_id: unit.id, guests: 2 })
    assert.deepEqual(others, [])
    const quote = await addQuote(owner, {
      unit_id: unit.id,
      check_in: stay.from,
      check_out: stay.to,
      guests: 2,
    })
    assert.deepEqual(shown, {
      unit_id: unit.id,
      space_id: space.id,
      name: 'Loft',
      space_name: 'Alfama',
      city: 'Lisboa',
      country: 'PT',
      type: 'loft',
      max_guests: 3,
      available: 3,
      rate_plan_id: quote.rate_plan_id,
      nights: 3,
      currency: 'eur',
      total_cents: 34_100,
      nightly_average_cents: 11_367,
    })
    assert.equal(quote.total_cents, shown['total_cents'])
  })

  test('nights are half-open: adjacent nights of a stay are free', async () => {
    const { id } = await addUnit(owner)
    await addBooking(owner, { unitId: id, checkIn: '2030-07-10', checkOut: '2030-07-13' })
    const isFree = async (from: string, to: string) => (await found({ unit_id: id, from, to })).length === 1
    assert.equal(await isFree('2030-07-07', '2030-07-10'), true)
    assert.equal(await isFree('2030-07-13', '2030-07-14'), true)
    for (const [from, to] of [
      ['2030-07-09', '2030-07-11'],
      ['2030-07-12', '2030-07-14'],
      ['2030-07-11', '2030-07-12'],
      ['2030-07-01', '2030-07-31'],
    ] as const)
      assert.equal(await isFree(from, to), false, from)
  })

  test('reflects moves, cancellations, deletions and blocks at once', async () => {
    const { id } = await addUnit(owner)
    const isFree = async () => (await found({ unit_id: id })).length === 1
    const booking = await addBooking(owner, { unitId: id, checkIn: stay.from, checkOut: stay.to })
    assert.equal(await isFree(), false)
    const place = `/api/v1/bookings/${booking.id}`
    expectStatus(await owner.patch(place, { checkIn: '2030-07-13', checkOut: '2030-07-15' }), 200)
    assert.equal(await isFree(), true)
    expectStatus(await owner.patch(place, { checkIn: '2030-07-12' }), 200)
    assert.equal(await isFree(), false)
    expectStatus(await owner.patch(place, { status: 'cancelled' }), 200)
    assert.equal(await isFree(), true)
    const again = await addBooking(owner, { unitId: id, checkIn: stay.from, checkOut: stay.to })
    assert.equal(await isFree(), false)
    assert.equal((await owner.delete(`/api/v1/bookings/${again.id}`)).status, 204)
    assert.equal(await isFree(), true)
    await decide(id, { blocked: 1 })
    assert.equal(await isFree(), false)
    await decide(id, { blocked: 0 })
    assert.equal(await isFree(), true)
  })

  test('returns units with enough rooms on every night', async () => {
    const { id } = await addUnit(owner, { quantity: 2, max_guests: 2 })
    const available = async (query: object) => (await found({ unit_id: id, ...query }))[0]?.['available']
    assert.deepEqual([await available({}), await available({ rooms: 2, guests: 4 })], [2, 2])
    await addBooking(owner, { unitId: id, checkIn: '2030-07-11', checkOut: '2030-07-12' })
    assert.deepEqual([await available({}), await available({ rooms: 2 })], [1, undefined])
    await addBooking(owner, { unitId: id, checkIn: '2030-07-11', checkOut: '2030-07-12' })
    assert.equal(await available({}), undefined)
    expectStatus(await owner.patch(`/api/v1/units/${id}`, { quantity: 3 }), 200)
    assert.equal(await available({}), 1)
    assert.equal(await available({ guests: 3 }), undefined)
  })

  test('returns only active units of active spaces', async () => {
    const { space_id, units } = await dearAndCheap()
    const names = () => namesOf({ space_id })
    for (const status of ['inactive', 'maintenance', 'archived']) {
      expectStatus(await owner.patch(`/api/v1/units/${units[0].id}`, { status }), 200)
      assert.deepEqual(await names(), ['Middle', 'Dear'])
    }
    expectStatus(await owner.patch(`/api/v1/units/${units[0].id}`, { status: 'inactive' }), 200)
    expectStatus(await owner.patch(`/api/v1/units/${units[0].id}`, { status: 'active' }), 200)
    assert.deepEqual(await names(), ['Cheap', 'Middle', 'Dear'])
    expectStatus(await owner.patch(`/api/v1/spaces/${space_id}`, { status: 'inactive' }), 200)
    assert.deepEqual(await names(), [])
  })

  test('omits units that the calendar does not sell', async () => {
    const { id } = await addUnit(owner)
    const isFound = async () => (await found({ unit_id: id })).length === 1
    const first = { date_to: '2030-07-10' }
    const departure = { date_from: '2030-07-13', date_to: '2030-07-13' }
    for (const [closed, open] of [
      [{ stop_sell: true }, { stop_sell: null }],
      [{ min_stay_through: 4 }, { min_stay_through: 3 }],
      [
        { ...first, min_stay_arrival: 4 },
        { ...first, min_stay_arrival: 3 },
      ],
      [
        { ...first, max_stay: 2 },
        { ...first, max_stay: 3 },
      ],
      [
        { ...first, closed_to_arrival: true },
        { ...first, closed_to_arrival: null },
      ],
      [
        { ...departure, closed_to_departure: true },
        { ...departure, closed_to_departure: null },
      ],
    ]) {
      await decide(id, closed!)
      assert.equal(await isFound(), false, JSON.stringify(closed))
      await decide(id, open!)
      assert.equal(await isFound(), true, JSON.stringify(open))
    }
    const stop = await addStop(owner, { unit_id: id })
    assert.equal(await isFound(), false)
    expectStatus(await owner.delete(`/api/v1/sales-stops/${stop.id}`), 204)
    assert.equal(await isFound(), true)
  })

  test('uses the cheapest plan that can be booked', async () => {
    const { id } = await addUnit(owner, { base_price_cents: 10_000 })
    const plan = await addPlan(owner, { unit_id: id })
    const [standard] = await found({ unit_id: id })
    assert.notEqual(standard!['rate_plan_id'], plan.id)
    await decide(id, { rate_plan_id: plan.id, price_cents: 8_000 })
    const [cheaper] = await found({ unit_id: id })
    assert.deepEqual([cheaper!['rate_plan_id'], cheaper!['total_cents']], [plan.id, 24_000])
    await decide(id, { rate_plan_id: plan.id, stop_sell: true })
    assert.deepEqual(await found({ unit_id: id }), [standard])
    await decide(id, { rate_plan_id: plan.id, stop_sell: false })
    expectStatus(await owner.patch(`/api/v1/rate-plans/${plan.id}`, { status: 'inactive' }), 200)
    assert.deepEqual(await found({ unit_id: id }), [standard])
  })

  test('the first and the last arrival follow the local date of the unit', async () => {
    const [west, east] = ['Pacific/Pago_Pago', 'Pacific/Kiritimati']
    const there = await addUnit(owner, { space_id: (await addSpace(owner, { timezone: west })).id })
    const ahead = await addUnit(owner, { space_id: (await addSpace(owner, { timezone: east })).id })
    const bookable = async (zone: string, days: number) => {
      const [from, to] = [localDay(zone, days), localDay(zone, days + 2)]
      return Promise.all(
        [there, ahead].map(async ({ id }) => (await found({ unit_id: id, from, to })).length),
      )
    }
    // It is always another day there: the two are 25 hours apart.
    assert.deepEqual(await bookable(west, 0), [1, 0])
    assert.deepEqual(await bookable(east, maxNightsAhead), [0, 1])
  })
})
