import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syncRanges, type ListingProgress } from './sync-ranges.ts'

test('nights: behind and unverified ranges, infinite ones, and a push of content alone', () => {
  const listing: ListingProgress = {
    ...{ channel_listing_id: '', channel_target_id: '', status: 'pending', error_code: null },
    ...{ is_behind: true, is_whole: false, behind_from: '1970-01-03', behind_to: 'infinity' },
    ...{ is_unverified: true, unverified_from: '1970-01-02', unverified_to: '1970-01-04' },
    ...{ stale: false, paused: false },
  }
  const nights = { from: 0, to: 4 }
  const states = (fields: Partial<ListingProgress>, within = nights) =>
    syncRanges({ ...listing, ...fields }, within).map(
      ({ date_from, date_to, state }) => `${date_from.slice(8)}-${date_to.slice(8)} ${state}`,
    )
  assert.deepEqual(states({}), ['01-01 synced', '02-02 unverified', '03-05 pending'])
  assert.deepEqual(states({ behind_from: null, behind_to: null, is_unverified: false }), ['01-05 synced'])
  assert.deepEqual(states({ is_behind: false }), ['01-01 synced', '02-04 unverified', '05-05 synced'])
  assert.deepEqual(states({ is_whole: true, status: 'failed' }), ['01-05 failed'])
  assert.deepEqual(states({}, { from: 3, to: 2 }), [])
})
