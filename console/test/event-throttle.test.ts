import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { SyncStatus } from '@vacancy/client'

import { throttleEvents } from '../src/live/event-throttle.ts'

const say = (channel_listing_id: string, status: SyncStatus['status'], attempts = 0) =>
  ({ channel_listing_id, status, attempts }) as SyncStatus

test('every state of a fast sync is shown in its turn, listings side by side', async () => {
  const shown: Map<string, SyncStatus>[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const take = throttleEvents((batch) => {
    shown.push(batch)
    if (batch.get('a')?.status === 'completed') resolve()
  })
  take(say('a', 'pending'))
  take(say('a', 'pending', 1))
  take(say('b', 'failed'))
  take(say('a', 'in_progress'))
  take(say('a', 'completed'))
  await done
  assert.deepEqual(
    shown.map((batch) => [...batch.values()].map(({ status, attempts }) => `${status} ${attempts}`)),
    [['pending 1', 'failed 0'], ['in_progress 0'], ['completed 0']],
  )
})

test('a long row of changes ends with the last word', async () => {
  const shown: SyncStatus[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const take = throttleEvents((batch) => {
    shown.push(...batch.values())
    if (shown.at(-1)?.attempts === 99) resolve()
  })
  for (let attempt = 0; attempt < 100; attempt += 1) {
    take(say('a', attempt % 2 === 0 ? 'pending' : 'in_progress', attempt))
  }
  await done
  assert.deepEqual(
    shown.map(({ attempts }) => attempts),
    [97, 98, 99],
  )
})
