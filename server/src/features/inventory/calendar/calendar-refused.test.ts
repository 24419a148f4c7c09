import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { dateOf, nightOf } from '#schema/nights.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addPlan, addSpace, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { weekdayOf } from './days.ts'

const { world, owner, stranger } = shareWorld()
let unitId: string

before(async () => (unitId = (await addUnit(owner, { quantity: 2 })).id))

const path = '/api/v1/calendar'
const july = { date_from: '2030-07-01', date_to: '2030-07-31' }
const post = (...values: object[]) =>
  owner.post(path, { values: values.map((value) => ({ unit_id: unitId, ...july, ...value })) })
const read = (query: string) => owner.get(`${path}?${query}`)
const dates = 'from=2030-07-01&to=2030-07-31'

suite('calendar: a change that is refused', () => {
  const malformed: [string, object, string][] = [
    ['no unit', { unit_id: undefined }, '/unit_id'],
    ['no first night', { date_from: undefined }, '/date_from'],
    ['a day that does not exist', { date_to: '2030-02-30' }, '/date_to'],
    ['a day before 1970', { date_from: '1969-12-31' }, '/date_from'],
    ['a day after 2200', { date_to: '2201-01-01' }, '/date_to'],
    ['a moment instead of a day', { date_from: '2030-07-01T00:00:00Z' }, '/date_from'],
    ['an unknown weekday', { weekdays: ['fri', 'friday'] }, '/weekdays/1'],
    ['a weekday twice', { weekdays: ['fri', 'fri'] }, '/weekdays'],
    ['no weekday', { weekdays: [] }, '/weekdays'],
    ['a negative price', { price_cents: -1 }, '/price_cents'],
    ['a price beyond 32 bits', { price_cents: 2_147_483_648 }, '/price_cents'],
    ['a stay of no nights', { min_stay_arrival: 0 }, '/min_stay_arrival'],
    ['a stay of a thousand nights', { max_stay: 1_000 }, '/max_stay'],
    ['a closure in words', { stop_sell: 'yes' }, '/stop_sell'],
    ['a block below none', { blocked: -1 }, '/blocked'],
    ['an unknown member', { available: 1 }, '/available'],
  ]
  for (const [what, value, member] of malformed)
    test(what, async () =>
      expectProblem(await post({ price_cents: 1, ...value }), 400, 'validation-error', `/values/0${member}`),
    )

  const contradictory: [string, object, string][] = [
    ['a last night before the first', { date_to: '2030-06-30', price_cents: 1 }, '/date_to'],
    ['more than three years', { date_to: '2033-07-06', price_cents: 1 }, '/date_to'],
    ['nothing to decide', {}, ''],
    ['a reason alone', { reason: 'Paint', price_cents: 1 }, '/reason'],
    ['a minimum on arrival beyond the maximum', { min_stay_arrival: 3, max_stay: 2 }, '/min_stay_arrival'],
    ['a minimum of a stay through beyond it', { min_stay_through: 3, max_stay: 2 }, '/min_stay_through'],
    ['more rooms than there are', { blocked: 3 }, '/blocked'],
    [
      'only nights that are past',
      { date_from: '2020-01-01', date_to: '2020-01-02', price_cents: 1 },
      '/date_to',
    ],
    ['no night on those days', { date_to: '2030-07-02', weekdays: ['sun'], price_cents: 1 }, '/weekdays'],
  ]
  for (const [what, value, member] of contradictory)
    test(what, async () => {
      const good = { price_cents: 1 }
      expectProblem(await post(good, value), 422, 'semantic-error', `/values/1${member}`)
    })

  test('says whether its nights are past or not on its weekdays', async () => {
    const messageOf = async (value: object) => {
      const { errors } = expectProblem(await post({ price_cents: 1, ...value }), 422, 'semantic-error')
      return errors[0]!.message
    }
    const weekdays = ['sun']
    const [monday, tuesday] = [{ date_to: '2030-07-01' }, { date_from: '2020-01-07', date_to: '2020-01-07' }]
    assert.match(await messageOf({ ...monday, weekdays }), /on one of the weekdays/)
    assert.match(await messageOf({ ...tuesday, weekdays }), /no future night/)
  })

  test('rejects no values, too many values, and too many nights', async () => {
    expectProblem(await owner.post(path, { values: [] }), 400, 'validation-error', '/values')
    const day = { date_to: july.date_from, price_cents: 1 }
    expectStatus(await post(...Array<object>(1_000).fill(day)), 201)
    expectProblem(await post(...Array<object>(1_001).fill(day)), 400, 'validation-error', '/values')
    const years = { date_to: '2033-07-04', price_cents: 1 }
    expectProblem(await post(...Array<object>(182).fill(years)), 422, 'semantic-error', '/values')
  })

  test('rejects an unknown unit or plan, a plan of another unit, and an archived plan', async () => {
    const plan = await addPlan(owner)
    const archived = await addPlan(owner, { unit_id: unitId, status: 'archived' })
    const [terms, code] = [{ price_cents: 1 }, 'reference-not-found']
    expectProblem(await post({ ...terms, unit_id: unknownId }), 422, code, '/values/0/unit_id')
    for (const rate_plan_id of [unknownId, plan.id])
      expectProblem(await post({ ...terms, rate_plan_id }), 422, code, '/values/0/rate_plan_id')
    const reply = await post({ ...terms, rate_plan_id: archived.id })
    expectProblem(reply, 422, 'semantic-error', '/values/0/rate_plan_id')
  })
})

suite('calendar: invalid requests', () => {
  for (const [query, pointer] of [
    [`unit_id=x&${dates}`, '/unit_id'],
    [`sync_state=x&${dates}`, '/sync_state'],
    [`limit=101&${dates}`, '/limit'],
    [`unit_id=${unknownId}&to=2030-07-01`, '/from'],
    [`unit_id=${unknownId}&from=2030-07-01&to=x`, '/to'],
  ] as const)
    test(`400: ${query}`, async () => expectProblem(await read(query), 400, 'validation-error', pointer))

  test('422: dates out of order, too many nights, too many nights of all units', async () => {
    const of = (range: string) => read(`unit_id=${unitId}&${range}`)
    expectProblem(await of('from=2030-07-02&to=2030-07-01'), 422, 'semantic-error', '/to')
    expectProblem(await of('from=2030-01-01&to=2031-02-05'), 422, 'semantic-error', '/to')
    expectStatus(await of('from=2030-01-01&to=2031-02-04'), 200)
    const space = await addSpace(owner)
    const units = await Promise.all(Array.from({ length: 51 }, () => addUnit(owner, { space_id: space.id })))
    const all = units.map(({ id }) => `unit_id=${id}`).join('&')
    expectProblem(await read(`${all}&from=2030-01-01&to=2031-02-04`), 422, 'semantic-error', '/to')
    assert.equal(expectStatus(await read(`${all}&${dates}`), 200).calendar.length, 51)
    assert.equal(expectStatus(await read(`space_id=${space.id}&${dates}`), 200).calendar.length, 51)
    expectProblem(
      await read(`${`unit_id=${unitId}&`.repeat(101)}${dates}`),
      400,
      'validation-error',
      '/unit_id',
    )
    expectProblem(await read(`limit=51&from=2030-01-01&to=2031-02-04`), 422, 'semantic-error', '/to')
    expectProblem(await read(`cursor=abc&${dates}`), 400, 'invalid-cursor')
  })

  test('404: an unknown unit or space; a space without units has an empty page', async () => {
    expectProblem(await read(`unit_id=${unitId}&unit_id=${unknownId}&${dates}`), 404, 'not-found')
    expectProblem(await read(`space_id=${unknownId}&${dates}`), 404, 'not-found')
    const space = await addSpace(owner)
    assert.deepEqual(expectStatus(await read(`space_id=${space.id}&${dates}`), 200).calendar, [])
  })
})

suite('calendar: security', () => {
  test('another organization reads and changes nothing', async () => {
    const theirs = await addUnit(stranger)
    const unit = await addUnit(owner)
    const values = [theirs.id, unit.id].map((unit_id) => ({ unit_id, ...july, price_cents: 1 }))
    expectProblem(await stranger.post(path, { values }), 422, 'reference-not-found', '/values/1/unit_id')
    const [plan] = (await owner.get(`/api/v1/rate-plans?unit_id=${unit.id}`)).body.rate_plans
    const foreign = { ...values[0], rate_plan_id: plan.id }
    expectProblem(
      await stranger.post(path, { values: [foreign] }),
      422,
      'reference-not-found',
      '/values/0/rate_plan_id',
    )
    for (const query of [`unit_id=${theirs.id}&unit_id=${unit.id}`, `space_id=${unit.space_id}`])
      expectProblem(await stranger.get(`${path}?${query}&${dates}`), 404, 'not-found')
    const { calendar } = expectStatus(await read(`unit_id=${unit.id}&${dates}`), 200)
    assert.equal(calendar[0].plans[0].days.length, 1)
  })

  test('reading and changing need their permissions', async () => {
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}?unit_id=${unitId}&${dates}`), 200)
    expectProblem(await viewer.post(path, { values: [] }), 403, 'forbidden')
    const service = await world.home.as('service', { permissions: ['units:write'] })
    expectProblem(await service.get(`${path}?unit_id=${unitId}&${dates}`), 403, 'forbidden')
    const values = [{ unit_id: unitId.toUpperCase(), ...july, price_cents: 1 }]
    expectStatus(await service.post(path, { values }), 201)
  })
})

suite('calendar: time zones', () => {
  /** The day it is there now, and how many hours it has left. */
  const today = (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())

  // As far apart as zones are, and some whose clocks change at midnight.
  for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Santiago', 'Africa/Cairo'])
    test(`past nights are omitted in ${timezone}`, async () => {
      const space = await addSpace(owner, { timezone })
      const unit = await addUnit(owner, { space_id: space.id, base_price_cents: 5 })
      const now = nightOf(today(timezone))
      const value = { unit_id: unit.id, date_from: dateOf(now - 2), date_to: dateOf(now + 1), price_cents: 7 }
      const { nights } = expectStatus(await owner.post(path, { values: [value] }), 201).calendar_change
      assert.equal(nights, 2)
      const tile = await read(`unit_id=${unit.id}&from=${value.date_from}&to=${value.date_to}`)
      assert.deepEqual(
        expectStatus(tile, 200).calendar[0].plans[0].days.map(
          (day: { date_from: string; date_to: string; price_cents: number }) => [
            day.date_from,
            day.price_cents,
          ],
        ),
        [
          [value.date_from, 5],
          [today(timezone), 7],
        ],
      )
      const past = { ...value, date_to: dateOf(now - 1) }
      expectProblem(await owner.post(path, { values: [past] }), 422, 'semantic-error', '/values/0/date_to')
    })

  test('no night is lost or repeated when clocks change', async () => {
    const space = await addSpace(owner, { timezone: 'America/Santiago' })
    const unit = await addUnit(owner, { space_id: space.id })
    const year = { date_from: '2030-01-01', date_to: '2030-12-31' }
    const values = [{ unit_id: unit.id, ...year, weekdays: ['sun'], blocked: 1 }]
    expectStatus(await owner.post(path, { values }), 201)
    const tile = await read(`unit_id=${unit.id}&from=${year.date_from}&to=${year.date_to}`)
    const { availability } = expectStatus(tile, 200).calendar[0]
    const sundays = availability.filter(({ blocked }: { blocked: number }) => blocked === 1)
    assert.equal(sundays.length, 52)
    for (const { date_from, date_to } of sundays)
      assert.deepEqual([date_to, weekdayOf(nightOf(date_from))], [date_from, 'sun'])
  })
})
