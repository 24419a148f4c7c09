import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { ChannelListing, Space, SyncStatus, Unit } from '@vacancy/client'

import { acceptedFrom, nameOf, withoutEndedStarts } from '../src/pages/listings/accepted-values.ts'
import { filterGroups, groupUnits, summarize } from '../src/pages/portfolio/group-units.ts'
import { readFilter } from '../src/pages/portfolio/filter.ts'

const space = (id: string, name: string) => ({ id, name, city: 'Porto' }) as Space
const unit = (id: string, space_id: string, name: string) => ({ id, space_id, name, type: 'loft' }) as Unit
const listing = (id: string, unit_id: string, external_id: string, status = 'active') =>
  ({ id, unit_id, external_id, status, channel_target: { name: 'Riverside' } }) as ChannelListing
const status = (id: string, state: SyncStatus['status'], last_synced_at: string | null = null) =>
  ({ channel_listing_id: id, status: state, last_synced_at }) as SyncStatus

const groups = groupUnits(
  [space('s2', 'Quay'), space('s1', 'Hill'), space('s3', 'Empty')],
  [unit('u10', 's1', 'Room 10'), unit('u2', 's1', 'Room 2'), unit('u3', 's2', 'Attic')],
  [listing('l1', 'u2', 'EXT-1'), listing('l2', 'u3', 'EXT-2'), listing('l3', 'u3', 'EXT-3', 'paused')],
)
const statuses = {
  l1: status('l1', 'failed', '2026-11-20T10:00:00.000Z'),
  l2: status('l2', 'completed', '2026-11-21T10:00:00.000Z'),
  l3: status('l3', 'completed'),
}
const shown = (filter: object) =>
  filterGroups(groups, statuses, filter).flatMap(({ rows }) => rows.map((row) => row.unit.name))

suite('portfolio', () => {
  test('spaces and units stand in the order people read names', () => {
    assert.deepEqual(
      groups.map(({ space: { name }, rows }) => [name, rows.map((row) => row.unit.name)]),
      [
        ['Empty', []],
        ['Hill', ['Room 2', 'Room 10']],
        ['Quay', ['Attic']],
      ],
    )
  })

  test('the summary counts each listing once, a paused one as paused', () => {
    assert.deepEqual(summarize(groups, statuses), {
      counts: { failed: 1, syncing: 0, waiting: 0, 'in-sync': 1, paused: 1 },
      lastSyncedAt: '2026-11-21T10:00:00.000Z',
    })
  })

  test('letters are found with their accents and without them', () => {
    const accented = groupUnits([space('s1', 'Príncipe Real')], [unit('u1', 's1', 'Ático Søren')], [])
    const found = ['principe soren', 'PRÍNCIPE', 'áti', 'prinzipe'].map((q) =>
      filterGroups(accented, {}, { q }),
    )
    assert.deepEqual(
      found.map(({ length }) => length),
      [1, 1, 1, 0],
    )
  })

  test('every word must be found, in the unit, its space or its listings', () => {
    assert.deepEqual(shown({ q: 'room 10' }), ['Room 10'])
    assert.deepEqual(shown({ q: 'hill loft' }), ['Room 2', 'Room 10'])
    assert.deepEqual(shown({ q: 'ext-2 riverside' }), ['Attic'])
    assert.deepEqual(shown({ q: 'ext-2 hill' }), [])
    assert.deepEqual(shown({ state: 'failed' }), ['Room 2'])
    assert.deepEqual(shown({ state: 'failed', q: 'attic' }), [])
    assert.equal(filterGroups(groups, statuses, {}), groups)
  })

  test('an address with anything in it becomes a filter that makes sense', () => {
    assert.deepEqual(readFilter({ q: 'loft', state: 'failed' }), { q: 'loft', state: 'failed' })
    assert.deepEqual(readFilter({ q: 12, state: 'constructor', other: 1 }), { q: '12' })
    assert.deepEqual(readFilter({ q: null }), {})
  })
})

suite('listing', () => {
  test('accepted is the last value of each field that the PMS accepted', () => {
    const entry = (status: string, at: string, changes: [string, unknown][]) => ({
      status,
      finished_at: at,
      changes: changes.map(([field, after]) => ({ field, before: null, after })),
    })
    const accepted = acceptedFrom([
      entry('failed', '4', [['base_price_cents', 400]]),
      entry('completed', '3', [['base_price_cents', 300]]),
      entry('completed', '2', [
        ['base_price_cents', 200],
        ['name', 'Loft'],
      ]),
    ] as unknown as Parameters<typeof acceptedFrom>[0])
    assert.deepEqual(accepted, [
      { field: 'base_price_cents', value: 300, at: '3' },
      { field: 'name', value: 'Loft', at: '2' },
    ])
    assert.equal(nameOf('base_price_cents'), 'Base price')
  })

  test('an attempt that ended is shown once, one under way is shown', () => {
    const step = (action: string, job_id: string, attempt: number) => ({ action, job_id, attempt })
    const shown = withoutEndedStarts([
      step('sync.started', 'b', 1),
      step('sync.completed', 'a', 2),
      step('sync.started', 'a', 2),
      step('sync.retry_scheduled', 'a', 1),
      step('sync.started', 'a', 1),
      step('listing.linked', '', 0),
    ] as Parameters<typeof withoutEndedStarts>[0])
    assert.deepEqual(
      shown.map(({ action }) => action),
      ['sync.started', 'sync.completed', 'sync.retry_scheduled', 'listing.linked'],
    )
  })
})
