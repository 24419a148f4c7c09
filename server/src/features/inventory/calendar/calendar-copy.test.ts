import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace, addUnit, unknownId } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

const path = '/api/v1/calendar/copy'
/** From a Monday to a Sunday. */
const week = { date_from: '2030-07-01', date_to: '2030-07-07' }

const decide = async (unit_id: string, terms: object, range: object = week) =>
  expectStatus(await owner.post('/api/v1/calendar', { values: [{ unit_id, ...range, ...terms }] }), 201)
const copy = async (body: object) => expectStatus(await owner.post(path, body), 201).calendar_change
/** The values of the nights of a unit: price, minimum stay and closure. */
const nightsOf = async (unitId: string, from: string, to: string) => {
  const tile = await owner.get(`/api/v1/calendar?unit_id=${unitId}&from=${from}&to=${to}`)
  const [plan] = expectStatus(tile, 200).calendar[0].plans
  return plan.days
}
const rangesOf = async (changeId: string) =>
  expectStatus(await owner.get(`/api/v1/calendar-changes/${changeId}`), 200).calendar_change.ranges

suite('calendar: copies', () => {
  test('another unit gets the same nights, also those of which nothing is decided', async () => {
    const space = await addSpace(owner)
    const [source, target] = [
      await addUnit(owner, { space_id: space.id, base_price_cents: 8_000 }),
      await addUnit(owner, { space_id: space.id, base_price_cents: 9_000 }),
    ]
    await decide(source.id, { price_cents: 12_000, weekdays: ['fri', 'sat'], closed_to_arrival: false })
    await decide(target.id, { price_cents: 30_000, min_stay_arrival: 4 })
    const request = { ...week, unit_ids: [target.id], source_unit_id: source.id }
    const dry = expectStatus(await owner.post(path, { ...request, dry_run: true }), 200).calendar_preview
    assert.equal(dry.nights_changed, 7)
    const change = await copy(request)
    assert.deepEqual([change.unit_id, change.nights, change.nights_changed], [target.id, 7, 7])
    const prices = (await rangesOf(change.id)).map(
      ({ nights, price_after_cents }: { nights: object; price_after_cents: number }) => [
        price_after_cents,
        nights,
      ],
    )
    assert.deepEqual(
      prices.sort(([one]: [number], [other]: [number]) => one - other),
      [
        [
          9_000,
          [
            { date_from: '2030-07-01', date_to: '2030-07-04' },
            { date_from: '2030-07-07', date_to: '2030-07-07' },
          ],
        ],
        [12_000, [{ date_from: '2030-07-05', date_to: '2030-07-06' }]],
      ],
    )
    assert.deepEqual(
      await nightsOf(target.id, '2030-07-05', '2030-07-06'),
      await nightsOf(source.id, '2030-07-05', '2030-07-06'),
    )
    assert.equal((await copy(request)).nights_changed, 0, 'a repeated copy changes nothing')
  })

  test('the next year gets the same weekdays, and only the members that are named', async () => {
    const unit = await addUnit(owner)
    await decide(unit.id, { price_cents: 15_000, min_stay_arrival: 3, weekdays: ['sat'] })
    const change = await copy({ ...week, unit_ids: [unit.id], years: 1, members: ['price_cents'] })
    assert.deepEqual([change.date_from, change.date_to], ['2031-06-30', '2031-07-06'])
    const [range, ...others] = await rangesOf(change.id)
    assert.deepEqual(others, [])
    assert.deepEqual(range.nights, [{ date_from: '2031-07-05', date_to: '2031-07-05' }])
    assert.deepEqual(range.after, { price_cents: 15_000 })
  })

  test('a season is applied to the same weekdays of another year', async () => {
    const unit = await addUnit(owner)
    const values = [{ date_from: '2030-07-05', date_to: '2030-07-06', price_cents: 20_000 }]
    const { season } = expectStatus(await owner.post('/api/v1/seasons', { name: 'Festival', values }), 201)
    const application = { unit_ids: [unit.id], years: 2 }
    const applied = await owner.post(`/api/v1/seasons/${season.id}/apply`, application)
    const { calendar_change: change } = expectStatus(applied, 201)
    // Friday and Saturday, as in 2030.
    assert.deepEqual([change.date_from, change.date_to], ['2032-07-02', '2032-07-03'])
  })
})

suite('calendar: copies that are refused', () => {
  test('a price below the minimum of a unit, another currency, a copy onto itself', async () => {
    const [source, dear, foreign] = [
      await addUnit(owner, { base_price_cents: 8_000, currency: 'eur' }),
      await addUnit(owner, { base_price_cents: 90_000, min_price_cents: 50_000, currency: 'eur' }),
      await addUnit(owner, { currency: 'usd' }),
    ]
    await decide(source.id, { price_cents: 12_000 })
    const from = { ...week, source_unit_id: source.id }
    const refused = async (body: object, code: string, pointer: string) =>
      expectProblem(await owner.post(path, body), 422, code, pointer)
    await refused({ ...from, unit_ids: [source.id, dear.id] }, 'price-below-minimum', '/unit_ids/1')
    await refused({ ...from, unit_ids: [foreign.id] }, 'semantic-error', '/source_unit_id')
    await copy({ ...from, unit_ids: [foreign.id], members: ['min_stay_arrival'] })
    await refused({ ...week, unit_ids: [source.id] }, 'semantic-error', '/years')
    const late = { date_from: '2198-07-01', date_to: '2198-07-07', unit_ids: [source.id], years: 3 }
    await refused(late, 'semantic-error', '/years')
    await refused({ ...from, unit_ids: [unknownId] }, 'reference-not-found', '/unit_ids/0')
    await refused(
      { ...week, unit_ids: [source.id], source_unit_id: unknownId },
      'reference-not-found',
      '/source_unit_id',
    )
    const preview = await owner.post(path, { ...from, unit_ids: [dear.id], dry_run: true })
    assert.equal(expectStatus(preview, 200).calendar_preview.nights_below_minimum, 7)
  })

  test("neither reads another organization's unit nor writes it", async () => {
    const unit = await addUnit(owner)
    const stranger = await world.away.as('owner')
    const own = await addUnit(stranger)
    for (const body of [
      { ...week, unit_ids: [own.id], source_unit_id: unit.id },
      { ...week, unit_ids: [unit.id], years: 1 },
    ])
      expectProblem(await stranger.post(path, body), 422, 'reference-not-found')
    const viewer = await world.home.as('viewer')
    expectProblem(await viewer.post(path, { ...week, unit_ids: [unit.id], years: 1 }), 403, 'forbidden')
  })
})
