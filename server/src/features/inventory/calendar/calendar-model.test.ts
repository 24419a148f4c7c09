import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { dateOf, nightOf } from '#schema/nights.ts'
import { expectStatus } from '#test/expect.ts'
import { addPlan, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { daysBetween, weekdays } from './days.ts'
import { merged, parted } from './layers.ts'

/** Random changes in any order give the nights of a simple model. */

const { owner } = shareWorld()

const [first, last] = [nightOf('2030-02-20'), nightOf('2030-03-20')]
const path = '/api/v1/calendar'
const quantity = 3
const basePriceCents = 5_000

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 })

const value = fc
  .record({
    unit: fc.nat(1),
    plan: fc.nat(1),
    from: fc.integer({ min: first, max: last }),
    length: fc.nat(12),
    weekdays: maybe(fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 5 })),
    price_cents: maybe(orNull(fc.constantFrom(1, 2, basePriceCents))),
    price_percent: maybe(fc.constantFrom(-50, 10, 200)),
    min_stay_arrival: maybe(orNull(fc.integer({ min: 1, max: 2 }))),
    max_stay: maybe(orNull(fc.integer({ min: 2, max: 3 }))),
    stop_sell: maybe(orNull(fc.boolean())),
    blocked: maybe(orNull(fc.integer({ min: 0, max: quantity }))),
  })
  .map((drawn) => ({ ...drawn, to: Math.min(drawn.from + drawn.length, last) }))
  // A value has one kind of price.
  .map((drawn) => (drawn.price_cents === undefined ? drawn : { ...drawn, price_percent: undefined }))
  // At least one night, and at least one thing to decide.
  .filter(({ from, to, weekdays: only }) => daysBetween(from, to, only).length > 0)
  .map((drawn) => (decides(drawn) ? drawn : { ...drawn, stop_sell: true }))
type Value = typeof value extends fc.Arbitrary<infer T> ? T : never

const terms = ['price_cents', 'min_stay_arrival', 'max_stay', 'stop_sell'] as const
const decides = (drawn: Partial<Record<string, unknown>>) =>
  [...terms, 'price_percent', 'blocked'].some((name) => drawn[name] !== undefined)
const defaults = { price_cents: basePriceCents, min_stay_arrival: 1, max_stay: null, stop_sell: false }

/** One entry for each night, written one after another; percent are of the price before the change. */
function model(changes: Value[][]) {
  const nights = new Map<string, Record<string, unknown>>()
  const at = (key: string) => nights.get(key) ?? nights.set(key, {}).get(key)!
  for (const change of changes) {
    const before = structuredClone(nights)
    for (const drawn of change)
      for (const day of daysBetween(drawn.from, drawn.to, drawn.weekdays)) {
        const key = `${drawn.unit} ${drawn.plan} ${day}`
        const night = at(key)
        for (const name of terms) if (drawn[name] !== undefined) night[name] = drawn[name] ?? defaults[name]
        const price = (before.get(key)?.['price_cents'] ?? basePriceCents) as number
        if (drawn.price_percent !== undefined)
          night['price_cents'] = Math.round((price * (100 + drawn.price_percent)) / 100)
        if (drawn.blocked !== undefined) at(`${drawn.unit} ${day}`)['blocked'] = drawn.blocked ?? 0
      }
  }
  return {
    terms: (unit: number, plan: number, day: number) => ({
      ...defaults,
      ...nights.get(`${unit} ${plan} ${day}`),
    }),
    blocked: (unit: number, day: number) => (nights.get(`${unit} ${day}`)?.['blocked'] ?? 0) as number,
  }
}

const inOrder = (ranges: Record<string, unknown>[]) =>
  ranges
    .map(({ warnings: _, ...range }) => range)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

interface Range {
  date_from: string
  date_to: string
  [member: string]: unknown
}

/** Expands ranges to nights; asserts that they have no gap, and that neighbours differ. */
function spread(ranges: Range[]): Record<string, unknown>[] {
  const nights: Record<string, unknown>[] = []
  let expected = first
  let before = ''
  for (const { date_from, date_to, ...night } of ranges) {
    assert.equal(date_from, dateOf(expected))
    assert.notEqual(JSON.stringify(night), before, 'equal neighbours are joined')
    before = JSON.stringify(night)
    for (; expected <= nightOf(date_to); expected++) nights.push(night)
  }
  assert.equal(expected - 1, last)
  return nights
}

suite('calendar: against a model', () => {
  test('changes in any order, many values at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(value, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const units = [
            await addUnit(owner, { quantity, base_price_cents: basePriceCents }),
            await addUnit(owner, { quantity, base_price_cents: basePriceCents }),
          ]
          const plans = await Promise.all(units.map(({ id }) => addPlan(owner, { unit_id: id })))
          for (const change of changes) {
            const values = change.map(({ unit, plan, from, to, length: _, ...rest }) => ({
              unit_id: units[unit].id as string,
              ...(plan && { rate_plan_id: plans[unit].id as string }),
              date_from: dateOf(from),
              date_to: dateOf(to),
              ...rest,
            }))
            const dry = expectStatus(await owner.post(path, { values, dry_run: true }), 200)
            const made = expectStatus(await owner.post(path, { values }), 201)
            const { id } = made.calendar_change
            const { ranges } = expectStatus(
              await owner.get(`/api/v1/calendar-changes/${id}`),
              200,
            ).calendar_change
            assert.deepEqual(
              inOrder(dry.calendar_preview.ranges),
              inOrder(ranges),
              'the preview is what happens',
            )
          }
          const expected = model(changes)
          for (const [unit, { id }] of units.entries()) {
            const reply = await owner.get(`${path}?unit_id=${id}&from=${dateOf(first)}&to=${dateOf(last)}`)
            const [tile] = expectStatus(reply, 200).calendar as {
              availability: Range[]
              plans: { days: Range[] }[]
            }[]
            spread(tile!.availability).forEach(({ available, blocked }, at) => {
              const taken = expected.blocked(unit, first + at)
              assert.deepEqual([available, blocked], [quantity - taken, taken])
            })
            for (const [plan, { days }] of tile!.plans.entries())
              spread(days).forEach((night, at) => {
                const wanted = expected.terms(unit, plan, first + at)
                assert.deepEqual({ ...night, ...wanted }, night, `${id} ${plan} ${dateOf(first + at)}`)
              })
          }
        },
      ),
      { numRuns: 40, seed: 20_260_501 },
    )
  })

  test('merged layers do not overlap and have the same values', () => {
    const layer = fc.record({
      key: fc.constantFrom('a', 'b'),
      nights: fc.uniqueArray(fc.nat(9)),
      terms: fc.record({ x: fc.nat(3), y: fc.nat(3) }, { requiredKeys: [] }),
    })
    fc.assert(
      fc.property(fc.array(layer), (layers) => {
        const paint = (
          all: readonly { key: string; nights: readonly number[]; terms: object }[],
          fresh: boolean,
        ) => {
          const painted: Record<string, object> = {}
          for (const { key, nights, terms } of all)
            for (const night of nights) {
              assert.ok(!(fresh && `${key} ${night}` in painted), 'a night has one layer')
              painted[`${key} ${night}`] = { ...painted[`${key} ${night}`], ...terms }
            }
          return painted
        }
        assert.deepEqual(paint(merged(layers), true), paint(layers, false))
      }),
    )
  })

  test('parts contain the same nights in the same order, within the limit', () => {
    const layer = fc.record({
      key: fc.constantFrom('a', 'b'),
      nights: fc.array(fc.nat(99)),
      terms: fc.constant({}),
    })
    fc.assert(
      fc.property(fc.array(layer), fc.integer({ min: 1, max: 7 }), (layers, most) => {
        const parts = parted(layers, most)
        const nightsOf = (all: typeof layers) =>
          all.flatMap(({ key, nights }) => nights.map((night) => key + night))
        assert.deepEqual(nightsOf(parts.flat() as typeof layers), nightsOf(layers))
        const sizes = parts.map((part) => part.reduce((sum, { nights }) => sum + nights.length, 0))
        assert.ok(sizes.every((size, at) => (at < sizes.length - 1 ? size === most : size <= most)))
      }),
    )
  })
})
