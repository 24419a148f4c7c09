import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { planIdFor, suggestMatches, suggestPlans } from '../src/pages/link/match.ts'
import type { Offer, RatePlan } from '../src/pages/link/match.ts'
import { openedRanges } from '../src/pages/link/closures.ts'
import type { Difference } from '../src/pages/link/closures.ts'

const difference = (part: Partial<Difference>): Difference => ({
  ...{
    field: 'stop_sell',
    rate_plan_id: null,
    date_from: null,
    date_to: null,
    desired: false,
    read_back: true,
  },
  ...part,
})

suite('nights that the first sync would open', () => {
  const differences = [
    difference({ rate_plan_id: 'flexible', date_from: '2027-05-01', date_to: '2027-05-02' }),
    difference({ rate_plan_id: 'standard', date_from: '2027-05-03', date_to: '2027-05-03' }),
    difference({
      field: 'available',
      date_from: '2027-05-10',
      date_to: '2027-05-10',
      desired: 1,
      read_back: 0,
    }),
    // Closed here too, and fewer rooms.
    difference({ rate_plan_id: 'flexible', date_from: '2027-06-01', date_to: '2027-06-01', desired: true }),
    difference({
      field: 'available',
      date_from: '2027-06-02',
      date_to: '2027-06-02',
      desired: 2,
      read_back: 1,
    }),
  ]

  test('are counted once for all plans', () => {
    assert.deepEqual(openedRanges(differences), [
      { date_from: '2027-05-01', date_to: '2027-05-03' },
      { date_from: '2027-05-10', date_to: '2027-05-10' },
    ])
  })

  test('are closed only for the plan that is closed at the PMS, and for all plans without a room', () => {
    assert.deepEqual(openedRanges(differences, 'flexible'), [
      { date_from: '2027-05-01', date_to: '2027-05-02' },
      { date_from: '2027-05-10', date_to: '2027-05-10' },
    ])
  })
})

test('a unit is selected only when no other one is as likely', () => {
  const linkable = new Map(['a', 'b', 'c'].map((id) => [id, {}]))
  const offer = (external_id: string, scores: Record<string, number>) =>
    ({
      ...{ external_id, channel_listing_id: null },
      matches: Object.entries(scores).map(([unit_id, score]) => ({ unit_id, name: 'Double', score })),
    }) as Offer
  const selected = (scores: Record<string, number>) =>
    suggestMatches([offer('room', scores)], linkable).map(({ unitId, isIncluded }) => [unitId, isIncluded])
  assert.deepEqual(selected({ a: 1, b: 0.8 }), [['a', true]])
  assert.deepEqual(selected({ a: 1, b: 1 }), [['a', false]])
  assert.deepEqual(selected({ a: 1, linked: 1 }), [['a', true]])
})

suite('rate plans with names of other alphabets', () => {
  const plan = (id: string, name: string) =>
    ({ id, name, unit_id: 'unit', is_default: id === 'a' }) as RatePlan
  const plans = [plan('a', 'Базовый'), plan('b', 'Невозвратный')]
  const ofPms = [
    { external_id: 'R-2', name: 'НЕВОЗВРАТНЫЙ' },
    { external_id: 'R-1', name: 'базовый' },
  ]

  test('are matched by their names', () => {
    const offer = { external_id: 'R', rate_plans: ofPms } as unknown as Offer
    const mapping = suggestPlans(plans, offer, { roomHasTerms: false, acceptsOurIds: false })
    assert.deepEqual(mapping, { a: 'R-1', b: 'R-2' })
  })

  test('get different ids at a PMS that takes ours', () => {
    const ids = plans.map((one) => planIdFor(one, null))
    assert.notEqual(ids[0], ids[1])
  })
})
