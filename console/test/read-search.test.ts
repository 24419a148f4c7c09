import assert from 'node:assert/strict'
import { test } from 'node:test'

import { date } from '../src/components/read-search.ts'

test('an address has the dates of the API only', () => {
  const read = ['2028-02-29', '2200-12-31', '2027-02-29', '2026-02-31', '1969-12-31', '2201-01-01'].map(date)
  assert.deepEqual(read, ['2028-02-29', '2200-12-31', undefined, undefined, undefined, undefined])
  for (const other of ['2028', '20280-12-24', '2028-12-24T00:00:00Z', 2028, undefined])
    assert.equal(date(other), undefined)
})
