import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { contract } from '@vacancy/client'

import { stayOf } from '../src/pages/inbox/stay.ts'

const line = (key: string, arrival: string) => ({ key, listing: key, arrival, departure: '2028-06-09' })

const arrivalOf = (external_id: string, lines: object[]) =>
  stayOf({
    external_id,
    reason: 'no_room',
    booking: { id: 'R-7', lines },
  } as unknown as contract.BookingConflict).arrival

test('each room of a booking has its own stay, also where an id begins like another', () => {
  const lines = [line('A1', '2028-06-01'), line('A10', '2028-06-02')]
  assert.deepEqual(
    ['R-7#A1', 'R-7#A10'].map((id) => arrivalOf(id, lines)),
    ['2028-06-01', '2028-06-02'],
  )
})

test('two rooms of one type have a stay each', () => {
  const lines = [line('A1', '2028-06-01'), line('B2', '2028-06-02'), line('A1', '2028-06-03')]
  assert.deepEqual(
    ['R-7#A1', 'R-7#B2', 'R-7#A1.2'].map((id) => arrivalOf(id, lines)),
    ['2028-06-01', '2028-06-02', '2028-06-03'],
  )
})

test('of two rooms of one type, the second keeps its stay when the first is removed', () => {
  const lines = [line('B2', '2028-06-02'), line('A1', '2028-06-03')]
  assert.equal(arrivalOf('R-7#A1.2', lines), '2028-06-03')
})

test('the only line of a booking is its stay', () => {
  assert.equal(arrivalOf('R-7', [line('', '2028-06-01')]), '2028-06-01')
})
