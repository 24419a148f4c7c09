import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { calendarCaller, channexCaller, propertyDate } from '../../test/channex-caller.ts'
import { startChannex } from './server.ts'

let channex: Awaited<ReturnType<typeof startChannex>>
before(async () => (channex = await startChannex()))
after(() => channex.close())

const caller = channexCaller(() => channex.url)
const { api, control, seedProperty, now, advanceMinutes } = caller

let ids: Awaited<ReturnType<typeof seedProperty>>
let day: (days: number) => string
beforeEach(async () => {
  ids = await seedProperty()
  const nowMs = await now()
  day = (days) => propertyDate(nowMs, days)
})

const { push, accepted, readBack } = calendarCaller(caller, () => ({ ids, day }))

describe('messages', () => {
  test('without values: 422; above 10 MB: 413; with 500 nights of several rooms: one task', async () => {
    for (const body of [{}, { values: [] }, { values: 'all' }, { values: [1] }]) {
      const { status, body: refused } = await api('POST', '/restrictions', body)
      assert.deepEqual([status, refused.errors.code], [422, 'validation_error'])
    }
    const large = await api('POST', '/availability', `{"values":[],"padding":"${'x'.repeat(10_000_000)}"}`)
    assert.equal(large.status, 413)
    assert.ok(large.body.errors.title)
    const values = [ids.double, ids.family].map((room_type_id) => ({
      room_type_id,
      date_from: day(0),
      date_to: day(499),
      availability: 2,
    }))
    await accepted('availability', ...values)
    assert.deepEqual(new Set(await readBack('availability', 0, 600)), new Set([2]))
    assert.equal((await readBack('availability', 0, 600)).length, 500)
  })

  test('ten messages of either kind in a minute for each property, then 429 without effect', async () => {
    await advanceMinutes(1)
    for (let n = 1; n <= 10; n += 1) await accepted('availability', { date: day(1), availability: n })
    const refused = await push('availability', { date: day(1), availability: 11 })
    const errors = { code: 'http_too_many_requests', title: 'Too Many Requests' }
    assert.deepEqual([refused.status, refused.body], [429, { errors }])
    assert.deepEqual(await readBack('availability', 1, 1), [10])
    await accepted('restrictions', { date: day(1), rate: 100 })

    const other = ids
    ids = await seedProperty()
    await accepted('availability', { date: day(1), availability: 1 })
    const mixed = [ids, other].map(({ property, double }) => ({
      property_id: property,
      room_type_id: double,
    }))
    assert.equal(
      (await push('availability', ...mixed.map((of) => ({ ...of, date: day(1), availability: 2 })))).status,
      429,
    )
    assert.deepEqual(await readBack('availability', 1, 1), [1])

    ids = other
    await advanceMinutes(1)
    await accepted('availability', { date: day(1), availability: 11 })
  })

  test('the limit is a sliding minute, not a minute of the clock', async () => {
    await advanceMinutes(2)
    const send = async () => (await push('availability', { date: day(1), availability: 1 })).status
    for (let n = 0; n < 5; n += 1) assert.equal(await send(), 200)
    await advanceMinutes(0.5)
    for (let n = 0; n < 5; n += 1) assert.equal(await send(), 200)
    assert.equal(await send(), 429)
    await advanceMinutes(0.5)
    for (let n = 0; n < 5; n += 1) assert.equal(await send(), 200)
    assert.equal(await send(), 429)
  })

  test('held changes are applied in order when they are released', async () => {
    await advanceMinutes(1)
    await control('PUT', 'tasks', { hold: true })
    await accepted('restrictions', { date: day(1), rate: 100 })
    await accepted('restrictions', { date: day(1), rate: 200 })
    assert.deepEqual(await readBack('rate', 1, 1), [{ rate: '90.00' }])
    assert.deepEqual((await control('GET', 'tasks')).body, { hold: true, waiting: 2 })
    await control('PUT', 'tasks', { hold: false })
    assert.deepEqual(await readBack('rate', 1, 1), [{ rate: '2.00' }])
  })

  test('a task has a status and its errors; a failed one changes nothing', async () => {
    await advanceMinutes(1)
    const state = async (id: string) => {
      const { status, body } = await api('GET', `/tasks/${id}`)
      return status === 200 ? [body.data.attributes.status, body.data.attributes.errors] : status
    }
    const send = async (rate: number) =>
      (await push('restrictions', { date: day(1), rate })).body.data[0].id as string
    const done = await send(100)
    assert.deepEqual(await state(done), ['completed', []])
    await control('PUT', 'tasks', { hold: true })
    const held = await send(200)
    assert.deepEqual(await state(held), ['pending', []])
    await control('PUT', 'tasks', { hold: false })
    assert.deepEqual(await state(held), ['completed', []])
    await control('PUT', 'tasks', { fail: 'too low' })
    assert.deepEqual(await state(await send(300)), ['failed', ['too low']])
    assert.deepEqual(await readBack('rate', 1, 1), [{ rate: '2.00' }])
    await control('PUT', 'tasks', { fail: null, forget: true })
    assert.equal(await state(done), 404)
    await control('PUT', 'tasks', { forget: false })
    assert.equal(await state(ids.double), 404)
  })
})

describe('reading back', () => {
  test('needs a property, dates and, for restrictions, names', async () => {
    const property = `filter[property_id]=${ids.property}`
    const date = `filter[date]=${day(1)}`
    for (const [path, message] of [
      [`/restrictions?${property}&${date}`, 'restrictions is required'],
      [`/restrictions?${property}&filter[restrictions]=rate`, 'date is required'],
      [`/availability?${date}`, 'property_id is required'],
      [`/availability?${property}`, 'date is required'],
      [`/availability?${property}&filter[date]=soon`, 'date is invalid'],
    ] as const) {
      const { status, body } = await api('GET', path)
      assert.deepEqual(
        [status, body.errors],
        [400, { code: 'bad_request', title: 'Bad Request', details: [message] }],
      )
    }
    assert.equal((await api('GET', `/availability?filter[property_id]=${randomUUID()}&${date}`)).status, 401)
  })

  test('shows manual changes, and the availability of the room beside its rates', async () => {
    const values = [{ property_id: ids.property, room_type_id: ids.double, date: day(1), availability: 2 }]
    await control('POST', 'values', { kind: 'availability', values })
    const rate = [{ property_id: ids.property, rate_plan_id: ids.flexible, date: day(1), rate: 1 }]
    await control('POST', 'values', { values: rate })
    assert.deepEqual(await readBack('rate,constructor,price', 1, 1), [{ rate: '0.01' }])
    assert.deepEqual(await readBack('availability', 1, 1), [2])
    assert.deepEqual(await readBack('rate,stop_sell,availability', 1, 1), [
      { rate: '0.01', stop_sell: false, availability: 2 },
    ])
  })
})
