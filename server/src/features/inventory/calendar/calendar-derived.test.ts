import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addPlan, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

/** Prices that are derived from the current one, and the preview of a change. */

const { world, owner } = shareWorld()

const path = '/api/v1/calendar'
const [from, to] = ['2030-07-01', '2030-07-14']
const whole = { date_from: from, date_to: to }
const post = (...values: object[]) => owner.post(path, { values })
const change = async (...values: object[]) => expectStatus(await post(...values), 201).calendar_change
const preview = async (...values: object[]) =>
  expectStatus(await owner.post(path, { values, dry_run: true }), 200).calendar_preview
const pricesOf = async (unitId: string, plan = 0) => {
  const reply = await owner.get(`${path}?unit_id=${unitId}&from=${from}&to=${to}`)
  const { days } = expectStatus(reply, 200).calendar[0].plans[plan]
  return days.map((day: { date_from: string; price_cents: number }) => [
    day.date_from.slice(-2),
    day.price_cents,
  ])
}

suite('calendar: derived prices', () => {
  test('percent and cents are added to the current price of each night', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    await change({ unit_id: unit.id, date_from: '2030-07-08', date_to: to, price_cents: 10_000 })
    await change(
      { unit_id: unit.id, ...whole, weekdays: ['fri', 'sat'], price_percent: 10 },
      { unit_id: unit.id, rate_plan_id: plan.id, ...whole, price_delta_cents: -550 },
    )
    assert.deepEqual(await pricesOf(unit.id), [
      ['01', 9_000],
      ['05', 9_900],
      ['07', 9_000],
      ['08', 10_000],
      ['12', 11_000],
      ['14', 10_000],
    ])
    assert.deepEqual(await pricesOf(unit.id, 1), [['01', 8_450]])
  })

  const roundings: [string, number, object, number][] = [
    ['to the cent', 9_999, { price_percent: 12.5 }, 11_249],
    ['to the nearest whole', 9_049, { price_percent: 0, round_to_cents: 100 }, 9_000],
    ['a half goes up', 9_050, { price_percent: 0, round_to_cents: 100 }, 9_100],
    ['to an ending', 9_050, { price_percent: 10, round_to_cents: 100, round_ending_cents: 99 }, 9_999],
    [
      'to an ending below',
      9_140,
      { price_delta_cents: 0, round_to_cents: 100, round_ending_cents: 99 },
      9_099,
    ],
    [
      'to tens less one',
      9_400,
      { price_delta_cents: 100, round_to_cents: 1_000, round_ending_cents: 900 },
      9_900,
    ],
  ]
  for (const [what, base, value, expected] of roundings)
    test(`${what}: ${base} becomes ${expected}`, async () => {
      const unit = await addUnit(owner, { base_price_cents: base })
      await change({ unit_id: unit.id, date_from: from, date_to: from, ...value })
      assert.equal((await pricesOf(unit.id))[0][1], expected)
    })

  test('of two values for a night the later one applies, based on the price before the change', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const of = (value: object) => ({ unit_id: unit.id, ...whole, ...value })
    await change(
      of({ price_cents: 5_000 }),
      of({ price_percent: 10 }),
      of({ price_delta_cents: 100, date_to: from }),
    )
    assert.deepEqual(await pricesOf(unit.id), [
      ['01', 9_100],
      ['02', 9_900],
    ])
    await change(of({ price_percent: 10 }), of({ price_cents: null }))
    assert.deepEqual(await pricesOf(unit.id), [['01', 9_000]])
  })

  test('two concurrent changes both count', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    await Promise.all(
      Array.from({ length: 8 }, () => change({ unit_id: unit.id, ...whole, price_delta_cents: 100 })),
    )
    assert.deepEqual(await pricesOf(unit.id), [['01', 9_800]])
  })

  test('a price below the minimum, below zero or beyond 32 bits is refused, with its night', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000, min_price_cents: 8_000 })
    await change({ unit_id: unit.id, date_from: '2030-07-05', date_to: to, price_cents: 10_000 })
    const low = await post(
      { unit_id: unit.id, ...whole, max_stay: 9 },
      { unit_id: unit.id, ...whole, price_percent: -15 },
    )
    expectProblem(low, 422, 'price-below-minimum', '/values/1/price_percent')
    assert.match(
      low.body.errors[0].message,
      /^The night of 2030-07-01 costs €76\.50, below the minimum of €80\.00\.$|76\.50/,
    )
    const free = await addUnit(owner, { base_price_cents: 9_000 })
    const below = await post({ unit_id: free.id, ...whole, price_delta_cents: -9_001 })
    expectProblem(below, 422, 'price-below-minimum', '/values/0/price_delta_cents')
    const above = await post({ unit_id: free.id, ...whole, price_delta_cents: 2_147_483_647 })
    expectProblem(above, 422, 'semantic-error', '/values/0/price_delta_cents')
    assert.deepEqual(await pricesOf(free.id), [['01', 9_000]])
    const { calendar_changes } = (await owner.get(`/api/v1/calendar-changes?unit_id=${free.id}`)).body
    assert.deepEqual(calendar_changes, [])
  })

  const contradictory: [string, object, string][] = [
    ['two ways to say a price', { price_cents: 1, price_percent: 1 }, '/price_percent'],
    ['rounding of a price that is given', { price_cents: 150, round_to_cents: 100 }, '/round_to_cents'],
    ['an ending without rounding', { price_percent: 1, round_ending_cents: 99 }, '/round_ending_cents'],
    [
      'an ending as large as the step',
      { price_percent: 1, round_to_cents: 100, round_ending_cents: 100 },
      '/round_ending_cents',
    ],
  ]
  for (const [what, value, member] of contradictory)
    test(`rejects ${what}`, async () => {
      const unit = await addUnit(owner)
      const reply = await post({ unit_id: unit.id, ...whole, ...value })
      expectProblem(reply, 422, 'semantic-error', `/values/0${member}`)
    })
})

suite('calendar: dry run', () => {
  test('returns what would change, warnings first, and writes nothing', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000, min_price_cents: 5_000, quantity: 2 })
    await change({ unit_id: unit.id, date_from: '2030-07-08', date_to: '2030-07-09', price_cents: 7_000 })
    const read = await owner.get(`${path}?unit_id=${unit.id}&from=${from}&to=${to}`)
    const shown = await preview(
      { unit_id: unit.id, ...whole, price_percent: -40 },
      { unit_id: unit.id, date_from: from, date_to: from, price_cents: 16_000, blocked: 1 },
    )
    const { ranges, ...totals } = shown
    assert.deepEqual(totals, {
      values: 2,
      nights: 15,
      nights_changed: 15,
      nights_below_minimum: 2,
      nights_over_half: 1,
      has_more_ranges: false,
    })
    assert.deepEqual(
      ranges.map((range: Record<string, unknown>) => [
        range['price_before_cents'],
        range['price_after_cents'],
        range['warnings'],
        range['nights'],
      ]),
      [
        [10_000, 16_000, ['over_half'], [{ date_from: from, date_to: from }]],
        [7_000, 4_200, ['below_minimum'], [{ date_from: '2030-07-08', date_to: '2030-07-09' }]],
        [
          10_000,
          6_000,
          [],
          [
            { date_from: '2030-07-02', date_to: '2030-07-07' },
            { date_from: '2030-07-10', date_to: to },
          ],
        ],
        [null, null, [], [{ date_from: from, date_to: from }]],
      ],
    )
    const after = await owner.get(`${path}?unit_id=${unit.id}&from=${from}&to=${to}`)
    assert.deepEqual(after.body, read.body)
    const { calendar_changes } = (await owner.get(`/api/v1/calendar-changes?unit_id=${unit.id}`)).body
    assert.equal(calendar_changes.length, 1)
  })

  test('warns about given prices too; rejects everything else that is invalid', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000, min_price_cents: 5_000 })
    const { ranges } = await preview({ unit_id: unit.id, ...whole, price_cents: 4_999 })
    assert.deepEqual(ranges[0].warnings, ['below_minimum', 'over_half'])
    const refused = await owner.post(path, {
      values: [{ unit_id: unit.id, ...whole, price_cents: 4_999, blocked: 2 }],
      dry_run: true,
    })
    expectProblem(refused, 422, 'semantic-error', '/values/0/blocked')
  })

  test('a preview contains the old reasons of blocks for callers who may see contact data', async () => {
    const unit = await addUnit(owner)
    const block = { unit_id: unit.id, date_from: from, date_to: from }
    await change({ ...block, blocked: 1, reason: 'Mrs Lovelace, +351 912 345 678' })
    const body = { values: [{ ...block, blocked: 1, reason: 'Paint' }], dry_run: true }
    const seenWith = async (...permissions: string[]) => {
      const service = await world.home.as('service', { permissions: ['units:write', ...permissions] })
      const [{ before, after }] = expectStatus(await service.post(path, body), 200).calendar_preview.ranges
      return [before, after]
    }
    const after = { blocked: 1, reason: 'Paint' }
    const before = { blocked: 1, reason: 'Mrs Lovelace, +351 912 345 678' }
    assert.deepEqual(await seenWith('guest_contacts:read'), [before, after])
    assert.deepEqual(await seenWith(), [{ blocked: 1 }, after])
  })

  test('returns 403 to readers', async () => {
    const unit = await addUnit(owner)
    const body = { values: [{ unit_id: unit.id, ...whole, price_percent: 1 }], dry_run: true }
    expectProblem(await (await world.home.as('viewer')).post(path, body), 403, 'forbidden')
    expectProblem(await (await world.away.as('owner')).post(path, body), 422, 'reference-not-found')
  })
})
