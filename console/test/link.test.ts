import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

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
