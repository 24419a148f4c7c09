import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { dateOf } from '#schema/nights.ts'
import { termNames } from '#integrations/pms/pms.ts'
import {
  firstOfMonth,
  monthsFromGrid,
  gridFromMonths,
  type StoredMonth,
  applyRuns,
  forgetRuns,
  diffGrids,
  emptyGrid,
  emptyTerms,
  type CalendarGrid,
  type CellValue,
} from './calendar-grid.ts'

const first = 20_000
const plan = 'p1'
const value = fc.integer({ min: 0, max: 3 })

/** Any calendar of up to 70 nights; `holes` lets nights be unknown. */
const calendar = (holes: boolean, count: fc.Arbitrary<number> = fc.integer({ min: 1, max: 70 })) =>
  count.chain((length) => {
    const column = fc.array(holes ? fc.option(value) : value, { minLength: length, maxLength: length })
    return fc
      .record({ rooms: column, terms: fc.tuple(...termNames.map(() => column)) })
      .map(({ rooms, terms }): CalendarGrid => {
        const made = emptyTerms(length)
        termNames.forEach((term, at) => {
          const isTruth = ['closed_to_arrival', 'closed_to_departure', 'stop_sell'].includes(term)
          made[term] = terms[at]!.map((one) => (one === null ? null : isTruth ? one % 2 : one))
        })
        return { first, rooms, plans: new Map([[plan, made]]) }
      })
  })

const pair = fc
  .integer({ min: 1, max: 70 })
  .chain((count) => fc.tuple(calendar(true, fc.constant(count)), calendar(false, fc.constant(count))))

suite('the difference of two calendars', () => {
  test('changes one into the other, without equal values', () => {
    fc.assert(
      fc.property(pair, ([had, wanted]) => {
        const before = structuredClone(had)
        const runs = diffGrids(had, wanted, termNames, false)
        for (const { date_from, date_to } of [...runs.rooms, ...runs.rates]) assert.ok(date_from <= date_to)
        for (const run of runs.rooms) {
          const at = Date.parse(run.date_from) / 86_400_000 - first
          assert.notEqual(before.rooms[at], run.available)
        }
        applyRuns(had, runs)
        assert.deepEqual(had.rooms, wanted.rooms)
        assert.deepEqual(had.plans.get(plan), wanted.plans.get(plan))
        assert.deepEqual(diffGrids(had, wanted, termNames, false), { rooms: [], rates: [] })
      }),
    )
  })

  test('contains every term of every night with whole, in ranges that differ from their neighbours', () => {
    fc.assert(
      fc.property(calendar(false), (wanted) => {
        const { rooms, rates } = diffGrids(wanted, wanted, termNames, true)
        const nights = (runs: { date_from: string; date_to: string }[]) =>
          runs.reduce(
            (sum, run) => sum + (Date.parse(run.date_to) - Date.parse(run.date_from)) / 86_400_000 + 1,
            0,
          )
        assert.equal(nights(rooms), wanted.rooms.length)
        assert.equal(nights(rates), wanted.rooms.length)
        for (const run of rates) for (const term of termNames) assert.ok(term in run)
        rooms.slice(1).forEach((run, at) => assert.notEqual(run.available, rooms[at]!.available))
      }),
    )
  })

  test('contains forgotten values again', () => {
    fc.assert(
      fc.property(calendar(false), (wanted) => {
        const had = structuredClone(wanted)
        const all = diffGrids(wanted, wanted, termNames, true)
        const some = { rooms: all.rooms.slice(0, 1), rates: all.rates.slice(0, 1) }
        forgetRuns(had, some)
        const again = diffGrids(had, wanted, termNames, false)
        assert.deepEqual(again, some)
      }),
    )
  })

  test('contains no unknown nights, also for an unknown plan', () => {
    const grid = emptyGrid(first, 3)
    const terms = emptyTerms(3)
    terms.price_cents[1] = 9_000
    grid.plans.set(plan, terms)
    const { rooms, rates } = diffGrids(emptyGrid(first, 3), grid, termNames, false)
    const date = dateOf(first + 1)
    assert.deepEqual([rooms, rates], [[], [{ plan, date_from: date, date_to: date, price_cents: 9_000 }]])
  })

  test('contains only terms that the provider supports', () => {
    const wanted: CalendarGrid = { first, rooms: [1], plans: new Map([[plan, emptyTerms(1)]]) }
    wanted.plans.get(plan)!.price_cents[0] = 5
    wanted.plans.get(plan)!.max_stay[0] = 0
    wanted.plans.get(plan)!.stop_sell[0] = 1
    const night = { date_from: dateOf(first), date_to: dateOf(first) }
    const { rates } = diffGrids(emptyGrid(first, 1), wanted, ['price_cents', 'max_stay'], false)
    assert.deepEqual(rates, [{ plan, ...night, price_cents: 5, max_stay: null }])
  })
})

suite('nights by month', () => {
  test('stored nights are read again, together with earlier ones', () => {
    fc.assert(
      fc.property(calendar(true), calendar(false), fc.nat(40), (earlier, later, shift) => {
        const months = new Map<string, StoredMonth>(monthsFromGrid(new Map(), earlier))
        const moved: CalendarGrid = { ...later, first: first + shift }
        for (const [month, values] of monthsFromGrid(months, moved)) months.set(month, values)
        const read = gridFromMonths(months, first, shift + moved.rooms.length)
        for (let night = 0; night < read.rooms.length; night++) {
          const expected = night >= shift ? moved.rooms[night - shift] : (earlier.rooms[night] ?? null)
          assert.equal(read.rooms[night], expected)
          const price = (values: CalendarGrid, at: number) => values.plans.get(plan)?.price_cents[at] ?? null
          assert.equal(
            price(read, night),
            night >= shift ? price(moved, night - shift) : price(earlier, night),
          )
        }
        for (const [month, { rooms }] of months) {
          assert.equal(firstOfMonth(month), month)
          assert.ok(rooms.length === 1 || (rooms.length >= 28 && rooms.length <= 31))
        }
      }),
    )
  })

  test('what is the same on all days of a month is stored once', () => {
    const march = Date.UTC(2027, 2, 1) / 86_400_000
    const prices = (values: CellValue[]) => {
      const grid = emptyGrid(march, values.length)
      grid.plans.set(plan, { ...emptyTerms(values.length), price_cents: values })
      return grid
    }
    const stored = monthsFromGrid(new Map(), prices(Array<CellValue>(31).fill(9_000)))
    assert.deepEqual(stored.get('2027-03-01')!.plans[plan]!.price_cents, [9_000])
    const changed = monthsFromGrid(stored, prices([8_000]))
    const expected = [8_000, ...Array<CellValue>(30).fill(9_000)]
    assert.deepEqual(changed.get('2027-03-01')!.plans[plan]!.price_cents, expected)
    assert.deepEqual(gridFromMonths(changed, march, 31).plans.get(plan)!.price_cents, expected)
  })
})
