import assert from 'node:assert/strict'
import { test } from 'node:test'

import { date } from '../src/components/read-search.ts'
import { maxChosen, readStopFilter } from '../src/pages/stop-sell/filter.ts'

test('an address has the dates of the API only', () => {
  const read = ['2028-02-29', '2200-12-31', '2027-02-29', '2026-02-31', '1969-12-31', '2201-01-01'].map(date)
  assert.deepEqual(read, ['2028-02-29', '2200-12-31', undefined, undefined, undefined, undefined])
  for (const other of ['2028', '20280-12-24', '2028-12-24T00:00:00Z', 2028, undefined])
    assert.equal(date(other), undefined)
})

test('an address has the ids of all that can be stopped at once, and nothing else', () => {
  const chosen = Array.from({ length: maxChosen }, () => crypto.randomUUID())
  assert.equal(readStopFilter({ ids: chosen.join(',') }).ids, chosen.join(','))
  const [first = ''] = chosen
  assert.deepEqual(readStopFilter({ ids: `${first},${first.slice(0, 15)},` }), { ids: first })
  assert.deepEqual(readStopFilter({ ids: 7 }), {})
})
