import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { calendarCaller, channexCaller, propertyDate } from '../../test/channex-caller.ts'
import { startChannex } from './server.ts'

let channex: Awaited<ReturnType<typeof startChannex>>
before(async () => (channex = await startChannex()))
after(() => channex.close())

const caller = channexCaller(() => channex.url)
const { api, seedProperty, now, advanceMinutes } = caller

let ids: Awaited<ReturnType<typeof seedProperty>>
let day: (days: number) => string
beforeEach(async () => {
  ids = await seedProperty()
  const nowMs = await now()
  day = (days) => propertyDate(nowMs, days)
})

const { push, accepted, warningsOf, readBack } = calendarCaller(caller, () => ({ ids, day }))

describe('availability', () => {
  test('is 0 at first, and is set by date and by range, both ends included', async () => {
    assert.deepEqual(await readBack('availability', 0, 2), [0, 0, 0])
    await accepted('availability', { date_from: day(1), date_to: day(3), availability: 3 })
    await accepted('availability', { date: day(2), availability: 1 }, { date: day(4), availability: 0 })
    assert.deepEqual(await readBack('availability', 0, 4), [0, 3, 1, 3, 0])
    const query = `filter[property_id]=${ids.property}&filter[date]=${day(1)}`
    const { data } = (await api('GET', `/availability?${query}`)).body
    assert.deepEqual(data, { [ids.double]: { [day(1)]: 3 }, [ids.family]: { [day(1)]: 0 } })
  })

  test('is not set by invalid values, though the answer is 200', async () => {
    const elsewhere = await seedProperty()
    const good = { date: day(1), availability: 1 }
    const cases: [Record<string, unknown>, string][] = [
      [{ availability: -1 }, 'availability'],
      [{ availability: '1' }, 'availability'],
      [{ availability: null }, 'availability'],
      [{ availability: undefined }, 'availability'],
      [{ room_type_id: randomUUID() }, 'room_type_id'],
      [{ room_type_id: elsewhere.double }, 'room_type_id'],
      [{ property_id: randomUUID() }, 'property_id'],
      [{ date: '2026-02-30' }, 'date'],
      [{ date: undefined, date_from: day(2), date_to: day(1) }, 'date_to'],
      [{ date: undefined, date_from: day(2) }, 'date_to'],
    ]
    for (const [wrong, field] of cases) {
      await advanceMinutes(1)
      const [warning] = await warningsOf('availability', { ...good, ...wrong })
      assert.ok(warning && field in warning, `${field} in ${JSON.stringify(warning)}`)
    }
    assert.deepEqual(await readBack('availability', 1, 2), [0, 0])
  })

  test('past dates are refused in the time zone of the property; today is accepted', async () => {
    const [warning] = await warningsOf('availability', { date: day(-1), availability: 1 })
    assert.deepEqual(warning, { date: ["can't be in the past"] })
    const [range] = await warningsOf('availability', { date_from: day(-1), date_to: day(3), availability: 1 })
    assert.deepEqual(range, { date_from: ["can't be in the past"] })
    await accepted('availability', { date: day(0), availability: 1 })

    const yesterday = await seedProperty({ title: 'Pago Pago', currency: 'USD', timezone: 'Pacific/Pago_Pago', room_types: [{ title: 'Hut', rate_plans: [{ title: 'Hut' }] }] }) // prettier-ignore
    const western = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Pago_Pago' }).format(await now())
    assert.notEqual(western, day(0))
    const there = { property_id: yesterday.property, room_type_id: yesterday.double, date: western }
    assert.equal(
      (await api('POST', '/availability', { values: [{ ...there, availability: 1 }] })).body.data.length,
      1,
    )
  })
})

describe('rates and restrictions', () => {
  const everything =
    'rate,min_stay_arrival,min_stay_through,max_stay,closed_to_arrival,closed_to_departure,stop_sell'
  const atFirst = {
    rate: '90.00',
    min_stay_arrival: 1,
    min_stay_through: 1,
    max_stay: 0,
    closed_to_arrival: false,
    closed_to_departure: false,
    stop_sell: false,
  }

  test('default to those of the plan, and a value changes only its own field', async () => {
    assert.deepEqual(await readBack(everything, 0, 0), [atFirst])
    await accepted('restrictions', { date_from: day(0), date_to: day(1), rate: 13_800, min_stay_arrival: 2 })
    await accepted('restrictions', { date: day(1), stop_sell: true, closed_to_arrival: 1, max_stay: 5 })
    const both = { ...atFirst, rate: '138.00', min_stay_arrival: 2 }
    assert.deepEqual(await readBack(everything, 0, 2), [
      both,
      { ...both, stop_sell: true, closed_to_arrival: true, max_stay: 5 },
      atFirst,
    ])
  })

  test('prices are whole smallest units or decimal text; the last of several values wins', async () => {
    await accepted(
      'restrictions',
      { date_from: day(0), date_to: day(6), rate: '200.50' },
      { date_from: day(0), date_to: day(6), days: ['sa', 'su'], rate: 25_000 },
    )
    const weekdays = [0, 1, 2, 3, 4, 5, 6].map((days) => new Date(day(days)).getUTCDay())
    assert.deepEqual(
      await readBack('rate', 0, 6),
      weekdays.map((weekday) => ({ rate: weekday === 0 || weekday === 6 ? '250.00' : '200.50' })),
    )
  })

  test('by occupancy: `rate` is that of the primary option', async () => {
    const { data } = (await api('GET', `/rate_plans?filter[room_type_id]=${ids.family}&order[title]=desc`))
      .body
    const [{ id: rate_plan_id, attributes }] = data
    const rates = [1, 2, 3].map((occupancy) => ({ occupancy, rate: occupancy * 5000 }))
    await accepted('restrictions', { rate_plan_id, date: day(1), rates })
    await accepted('restrictions', { rate_plan_id, date: day(1), rate: '123.45' })
    const read = new Map<number, unknown>()
    for (const { id, occupancy } of attributes.options) read.set(occupancy, await readBack('rate', 1, 1, id))
    assert.deepEqual(
      [1, 2, 3].map((occupancy) => read.get(occupancy)),
      [[{ rate: '50.00' }], [{ rate: '123.45' }], [{ rate: '150.00' }]],
    )
    const [warning] = await warningsOf('restrictions', {
      rate_plan_id,
      date: day(1),
      rates: [{ occupancy: 4, rate: 100 }],
    })
    assert.deepEqual(warning, { rates: ['is invalid'] })
  })

  test('each invalid value has a warning with all its errors, and the others are accepted', async () => {
    const wrong = {
      date: day(1),
      rate: 0,
      min_stay_arrival: 0,
      max_stay: -2,
      stop_sell: 123,
      closed_to_arrival: null,
    }
    const { status, body } = await push('restrictions', wrong, { date: day(2), rate: 7700 })
    assert.deepEqual([status, body.data.length, body.meta.message], [200, 1, 'Success'])
    assert.deepEqual(body.meta.warnings, [
      {
        property_id: ids.property,
        rate_plan_id: ids.flexible,
        ...wrong,
        warning: {
          rate: ['must be greater than 0'],
          min_stay_arrival: ['must be greater than or equal to 1'],
          max_stay: ['must be greater than or equal to 0'],
          stop_sell: ['is invalid'],
          closed_to_arrival: ['Should be a non null value or not existed field'],
        },
      },
    ])
    assert.deepEqual(await readBack('rate', 1, 2), [{ rate: '90.00' }, { rate: '77.00' }])
  })

  test('a value needs a restriction, a plan of its property, and a valid price', async () => {
    const elsewhere = await seedProperty()
    const [strange] = await warningsOf('restrictions', {
      date: day(1),
      rate: 1,
      rate_plan_id: elsewhere.flexible,
    })
    assert.deepEqual(strange, { rate_plan_id: ['is invalid'] })
    for (const value of [
      {},
      { availability: 3 },
      { rate: 12.5 },
      { rate: '1.234' },
      { rate: '-2' },
      { rate: 'x' },
    ])
      assert.equal((await warningsOf('restrictions', { date: day(1), ...value })).length, 1)
  })

  test('min_stay is accepted only with a min_stay_type of arrival or through', async () => {
    const [warning] = await warningsOf('restrictions', { date: day(1), min_stay: 3 })
    assert.match(String(warning?.['min_stay']), /doesn't support/)
    await api('PUT', `/properties/${ids.property}`, { property: { settings: { min_stay_type: 'through' } } })
    await accepted('restrictions', { date: day(1), min_stay: 3 })
    assert.deepEqual(await readBack('min_stay_arrival,min_stay_through,min_stay', 1, 1), [
      { min_stay_arrival: 1, min_stay_through: 3, min_stay: 3 },
    ])
  })
})
