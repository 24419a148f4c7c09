import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addSpace, addUnit, unknownId } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

const path = '/api/v1/admin/analytics'
const june = { from: '2030-06-01', to: '2030-06-30' }

/** The figures of a world of its own, so that every cent is known. */
async function figures(): Promise<{
  world: World
  owner: TestCaller
  unit: { id: string; space_id: string }
  read(query?: Record<string, string>): Promise<ReturnType<typeof expectStatus>>
}> {
  const world = await openWorld()
  const owner = await world.home.as('owner')
  const unit = await addUnit(owner, { quantity: 2, base_price_cents: 10_000 })
  const read = async (query: Record<string, string> = {}) => {
    const asked = new URLSearchParams({ ...june, ...query })
    return expectStatus(await owner.get(`${path}?${asked}`), 200).analytics
  }
  return { world, owner, unit, read }
}

const stay = (unitId: string, checkIn: string, checkOut: string, totalCents: number, more: object = {}) => ({
  unitId,
  checkIn,
  checkOut,
  totalCents,
  ...more,
})

suite('analytics: occupancy, ADR and RevPAR', () => {
  let here: Awaited<ReturnType<typeof figures>>
  before(async () => (here = await figures()))
  after(() => here.world[Symbol.asyncDispose]())

  test('ratios are null without stays', async () => {
    const { bookings, by_day, by_channel, revenue, period } = await here.read()
    assert.deepEqual(period, june)
    assert.deepEqual(bookings, {
      total: 0,
      by_status: {},
      nights: 0,
      available_nights: 60,
      revenue_cents: 0,
      currency: 'eur',
      adr_cents: null,
      revpar_cents: 0,
      occupancy_rate: 0,
    })
    assert.deepEqual(revenue, [{ currency: 'eur', nights: 0, revenue_cents: 0, adr_cents: null }])
    assert.deepEqual([by_day.length, by_channel], [30, []])
  })

  test('a stay counts for its nights, each with its part of the total; the remainder is on the first', async () => {
    const { owner, unit, read } = here
    await addBooking(owner, stay(unit.id, '2030-06-10', '2030-06-13', 10_001, { rooms: 2 }))
    const { bookings, by_day, by_channel } = await read()
    const { revenue_cents, nights, adr_cents, revpar_cents, occupancy_rate } = bookings
    assert.deepEqual(
      [revenue_cents, nights, adr_cents, revpar_cents, occupancy_rate],
      [10_001, 6, 1_667, 167, 0.1],
    )
    const days = by_day
      .slice(8, 13)
      .map((day: Record<string, unknown>) => [day['date'], day['nights'], day['revenue_cents']])
    assert.deepEqual(days, [
      ['2030-06-09', 0, 0],
      ['2030-06-10', 2, 3_335],
      ['2030-06-11', 2, 3_333],
      ['2030-06-12', 2, 3_333],
      ['2030-06-13', 0, 0],
    ])
    assert.deepEqual(by_day[9], {
      date: '2030-06-10',
      nights: 2,
      available_nights: 2,
      occupancy_rate: 1,
      revenue_cents: 3_335,
      adr_cents: 1_668,
      revpar_cents: 1_668,
    })
    assert.deepEqual(by_channel, [
      {
        source: 'direct',
        channel_target_id: null,
        name: 'direct',
        bookings: 1,
        nights: 6,
        revenue_cents: 10_001,
      },
    ])
  })

  test('only nights of the period count, and the remainder only with the first night', async () => {
    const { read } = here
    const of = async (from: string, to: string) => {
      const { bookings } = await read({ from, to })
      return [bookings.nights, bookings.revenue_cents]
    }
    assert.deepEqual(await of('2030-06-11', '2030-06-30'), [4, 6_666])
    assert.deepEqual(await of('2030-06-01', '2030-06-10'), [2, 3_335])
    assert.deepEqual(await of('2030-06-11', '2030-06-11'), [2, 3_333])
    assert.deepEqual(await of('2030-06-13', '2030-06-30'), [0, 0])
    assert.deepEqual(await of('2030-06-01', '2030-06-09'), [0, 0])
  })

  test('a stay of a year counts in a month within it', async () => {
    const { owner, read } = here
    const other = await addUnit(owner, { space_id: here.unit.space_id })
    await addBooking(owner, stay(other.id, '2031-01-01', '2031-12-31', 364_000))
    const { bookings } = await read({ from: '2031-06-01', to: '2031-06-30', unit_id: other.id })
    assert.deepEqual([bookings.nights, bookings.revenue_cents, bookings.occupancy_rate], [30, 30_000, 1])
  })
})

suite('analytics: what counts', () => {
  let here: Awaited<ReturnType<typeof figures>>
  before(async () => (here = await figures()))
  after(() => here.world[Symbol.asyncDispose]())

  test('cancelled, declined, pending and deleted stays do not count; no-shows do', async () => {
    const { owner, unit, read } = here
    const make = async (day: number, status?: string) => {
      const booking = await addBooking(owner, stay(unit.id, `2030-06-0${day}`, `2030-06-0${day + 1}`, 1_000))
      if (status) expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { status }), 200)
      return booking.id as string
    }
    await make(1)
    await make(2, 'cancelled')
    await make(3, 'no_show')
    await addBooking(owner, stay(unit.id, '2030-06-04', '2030-06-05', 1_000, { status: 'pending' }))
    expectStatus(await owner.delete(`/api/v1/bookings/${await make(5)}`), 204)
    const { bookings } = await read()
    assert.deepEqual(bookings.by_status, { confirmed: 1, cancelled: 1, no_show: 1, pending: 1 })
    assert.deepEqual([bookings.total, bookings.nights, bookings.revenue_cents], [4, 2, 2_000])
  })

  test('another currency is listed separately, and not added', async () => {
    const { owner, unit, read } = here
    const dollars = await addUnit(owner, { space_id: unit.space_id, currency: 'usd' })
    await addBooking(owner, stay(dollars.id, '2030-06-20', '2030-06-22', 9_000))
    const { bookings, revenue, by_day } = await read()
    assert.deepEqual(revenue, [
      { currency: 'eur', nights: 2, revenue_cents: 2_000, adr_cents: 1_000 },
      { currency: 'usd', nights: 2, revenue_cents: 9_000, adr_cents: 4_500 },
    ])
    assert.deepEqual([bookings.nights, bookings.revenue_cents, bookings.adr_cents], [4, 2_000, 1_000])
    assert.deepEqual([by_day[19].nights, by_day[19].revenue_cents, by_day[19].adr_cents], [1, 0, null])
  })

  test('blocked rooms and inactive units are not available', async () => {
    const { owner, unit, read } = here
    const block = { unit_id: unit.id, date_from: '2030-06-25', date_to: '2030-06-26', blocked: 2 }
    expectStatus(await owner.post('/api/v1/calendar', { values: [block] }), 201)
    const before = await read({ unit_id: unit.id })
    assert.deepEqual([before.bookings.available_nights, before.by_day[24].available_nights], [56, 0])
    assert.equal(before.by_day[24].occupancy_rate, null)
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { status: 'maintenance' }), 200)
    const { bookings, units } = await read({ unit_id: unit.id })
    assert.deepEqual([bookings.available_nights, bookings.occupancy_rate, bookings.nights], [0, null, 2])
    assert.deepEqual(units, { total: 1, active: 0 })
  })

  test('filters by account, space and unit; contains nothing of another organization', async () => {
    const { owner, world, unit, read } = here
    const stranger = await world.away.as('owner')
    const theirs = await addUnit(stranger)
    await addBooking(stranger, stay(theirs.id, '2030-06-01', '2030-06-30', 99_999))
    const empty = await addSpace(owner, { status: 'draft' })
    const all = await read()
    assert.deepEqual([all.bookings.total, all.spaces], [5, { total: 2, active: 1 }])
    assert.deepEqual((await read({ account_id: world.home.accountId })).bookings, all.bookings)
    assert.deepEqual((await read({ space_id: unit.space_id })).bookings.revenue_cents, 2_000)
    const none = await read({ space_id: empty.id })
    assert.deepEqual([none.bookings.total, none.units.total, none.spaces], [0, 0, { total: 1, active: 0 }])
    await addUnit(owner, { space_id: empty.id, quantity: 3 })
    for (const [query, before] of [
      [{}, all],
      [{ space_id: empty.id }, none],
      [{ account_id: world.home.accountId }, all],
    ] as const) {
      const { units, bookings } = await read(query)
      assert.deepEqual(units, { ...before.units, total: before.units.total + 1 })
      assert.equal(bookings.available_nights, before.bookings.available_nights)
    }
    for (const [name, id] of [
      ['unit_id', theirs.id],
      ['unit_id', unknownId],
      ['space_id', unknownId],
      ['account_id', world.away.accountId],
    ] as const)
      expectProblem(await owner.get(`${path}?${name}=${id}`), 404, 'not-found')
  })
})

suite('analytics: permissions and parameters', () => {
  let here: Awaited<ReturnType<typeof figures>>
  before(async () => (here = await figures()))
  after(() => here.world[Symbol.asyncDispose]())

  test('returns 401 without a token, and 403 unless the caller is an admin', async () => {
    const { world } = here
    expectProblem(await world.caller(null).get(path), 401, 'unauthorized')
    for (const role of ['manager', 'staff', 'viewer', 'service'] as const)
      expectProblem(await (await world.home.as(role)).get(path), 403, 'forbidden')
    const named = await world.home.as('manager', { permissions: ['analytics:read'] })
    expectProblem(await named.get(path), 403, 'admin-required')
    assert.equal((await (await world.home.as('admin')).get(path)).status, 200)
  })

  test('covers the last thirty nights at the organization by default', async () => {
    const { owner } = here
    const period = async (query: string) => expectStatus(await owner.get(path + query), 200).analytics.period
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Lisbon' }).format(new Date())
    assert.equal((await period('')).to, today)
    assert.deepEqual(await period('?to=2030-06-30'), june)
    assert.deepEqual(await period('?from=2030-06-01'), june)
    assert.deepEqual(await period('?to=1970-01-03'), { from: '1970-01-01', to: '1970-01-03' })
    assert.deepEqual(await period('?from=2200-12-30'), { from: '2200-12-30', to: '2200-12-31' })
  })

  test('rejects an invalid period', async () => {
    const { owner } = here
    const ask = (query: string) => owner.get(`${path}?${query}`)
    expectProblem(await ask('from=2030-06-02&to=2030-06-01'), 422, 'semantic-error', '/to')
    expectProblem(await ask('from=2030-01-01&to=2032-01-02'), 422, 'semantic-error', '/to')
    assert.equal((await ask('from=2030-01-01&to=2032-01-01')).status, 200)
    expectProblem(await ask('from=2030-02-30'), 400, 'validation-error')
    expectProblem(await ask('unit_id=1'), 400, 'validation-error')
  })
})
