import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { evaluateRemoval, type RemovalState } from './held-removal.ts'
import type { CoveredNights } from './read-calendar.ts'

const state: RemovalState = {
  today: '2026-05-01',
  until: '2027-09-13',
  quantity: 1,
  held: null,
  held_reading: null,
  is_held_an_hour: false,
  is_replaced: false,
}
const on = (...days: number[]): CoveredNights =>
  days.map((day) => [`2026-05-${String(day).padStart(2, '0')}`, 1])
const daysOf = (nights: CoveredNights) => nights.map(([night]) => Number(night.slice(-2)))

/** The results of reading these calendars in sequence; an hour passes before the last. */
function readings(had: CoveredNights, ...found: (readonly [today: string, nights: CoveredNights])[]) {
  let now = state
  let blocked = had
  const verdicts = found.map(([today, nights], place) => {
    const coming = blocked.filter(([night]) => night >= today)
    const is_held_an_hour = now.held !== null && place === found.length - 1
    const verdict = evaluateRemoval({ ...now, today, is_held_an_hour }, coming, nights)
    blocked = verdict.nights
    const held = verdict.held && { ...verdict.held, since: verdict.held.since ?? '2026-05-01T10:00:00.000Z' }
    now = { ...now, held, held_reading: verdict.reading }
    return verdict
  })
  return verdicts.at(-1)!
}
const today = state.today

suite('nights that disappear from a calendar', () => {
  test('frees up to half of the nights at once, and holds more', () => {
    assert.deepEqual(daysOf(readings(on(5, 6, 7, 8), [today, on(5, 6)]).nights), [5, 6])
    const verdict = readings(on(5, 6, 7, 8), [today, on(5)])
    assert.deepEqual(daysOf(verdict.nights), [5, 6, 7, 8])
    assert.deepEqual(
      [verdict.held!.nights, verdict.held!.date_from, verdict.held!.date_to, verdict.held!.fetches],
      [3, '2026-05-06', '2026-05-08', 1],
    )
  })

  test('blocks new nights in addition to the held ones', () => {
    const first = [today, on(9, 10, 11, 12)] as const
    assert.deepEqual(daysOf(readings(on(5, 6, 7, 8), first).nights), [5, 6, 7, 8, 9, 10, 11, 12])
    assert.deepEqual(daysOf(readings(on(5, 6, 7, 8), first, first).nights), [5, 6, 7, 8, 9, 10, 11, 12])
  })

  test('accepts the third equal reading after an hour', () => {
    const empty = [today, on()] as const
    assert.equal(readings(on(5, 6), empty, empty).held!.fetches, 2)
    assert.deepEqual(readings(on(5, 6), empty, empty, empty), { nights: [], held: null, reading: null })
    const early = { ...readings(on(5, 6), empty, empty) }
    const held = { ...early.held!, since: '2026-05-01T10:00:00.000Z' }
    const verdict = evaluateRemoval({ ...state, held, held_reading: early.reading }, on(5, 6), on())
    assert.deepEqual([daysOf(verdict.nights), verdict.held!.fetches], [[5, 6], 3])
  })

  test('holds new nights, too, when they disappear during a hold', () => {
    const verdict = readings(on(5, 6), [today, on()], [today, on(9)], [today, on()])
    assert.deepEqual([daysOf(verdict.nights), verdict.held!.nights], [[5, 6, 9], 3])
  })

  test('starts again after a different reading, and ends when the nights are back', () => {
    const verdict = readings(on(5, 6, 7, 8), [today, on()], [today, on(5)], [today, on()])
    assert.equal(verdict.held!.fetches, 1)
    assert.equal(readings(on(5, 6), [today, on()], [today, on(5, 6)]).held, null)
  })

  test('ignores nights that have passed', () => {
    const verdict = readings(
      on(1, 5, 6, 7, 8),
      [today, on(1)],
      ['2026-05-02', [['2027-09-13', 1]]],
      ['2026-05-02', [['2027-09-13', 1]]],
    )
    assert.deepEqual(verdict.nights, [['2027-09-13', 1]])
  })

  test('counts rooms, and ignores a lower number of rooms of the unit', () => {
    const three: CoveredNights = [['2026-05-05', 3]]
    const verdict = evaluateRemoval({ ...state, quantity: 3 }, three, on(5))
    assert.deepEqual([verdict.nights, verdict.held!.nights], [three, 1])
    assert.equal(evaluateRemoval(state, three, on(5)).held, null)
  })

  test('keeps nights by decision until the calendar changes', () => {
    const first = readings(on(5, 6), [today, on()])
    const held = { ...first.held!, since: '2026-05-01T10:00:00.000Z', decision: 'keep' as const }
    const kept = { ...state, held, held_reading: first.reading, is_held_an_hour: true }
    assert.deepEqual(evaluateRemoval(kept, on(5, 6), on()).held, held)
    assert.equal(
      evaluateRemoval({ ...kept, held: { ...held, fetches: 9 } }, on(5, 6), on()).held!.decision,
      'keep',
    )
    assert.equal(evaluateRemoval(kept, on(5, 6), on(9)).held!.decision, null)
  })

  test('holds nights until they have passed, also when fewer than half of the nights are left', () => {
    const found = on(20, 21)
    const first = readings(on(5, 6, 7, 20, 21), [today, found])
    for (const decision of ['keep', null] as const) {
      const held = { ...first.held!, since: '2026-05-01T10:00:00.000Z', decision }
      const at = (today: string) => {
        const coming = first.nights.filter(([night]) => night >= today)
        return evaluateRemoval({ ...state, today, held, held_reading: first.reading }, coming, found).held
      }
      assert.deepEqual([at('2026-05-07')!.nights, at('2026-05-07')!.decision], [1, decision])
      assert.equal(at('2026-05-08'), null)
    }
  })

  test('accepts the reading of a changed address', () => {
    assert.equal(evaluateRemoval({ ...state, is_replaced: true }, on(5, 6), on()).held, null)
  })
})
