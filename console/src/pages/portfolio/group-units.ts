import type { ChannelListing, Space, Unit } from '@vacancy/client'

import { fold } from '../../i18n/fold.ts'
import type { Filter } from './filter.ts'
import { stateOf } from '../../live/sync-state.ts'
import type { Statuses, SyncState } from '../../live/sync-state.ts'

export interface Row {
  unit: Unit
  listings: ChannelListing[]
}

export interface Group {
  space: Space
  rows: Row[]
}

export interface Summary {
  counts: Record<SyncState, number>
  /** When a listing was last synced. */
  lastSyncedAt: string | null
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Spaces with their units and units with their listings, sorted by name with numbers in their order. */
export const groupUnits = (spaces: Space[], units: Unit[], listings: ChannelListing[]): Group[] => {
  const listingsOf = Map.groupBy(listings, ({ unit_id }) => unit_id)
  const unitsOf = Map.groupBy(units, ({ space_id }) => space_id)
  return spaces.toSorted(compareNames).map((space) => ({
    space,
    rows: (unitsOf.get(space.id) ?? []).toSorted(compareNames).map((unit) => ({
      unit,
      listings: (listingsOf.get(unit.id) ?? []).toSorted((a, b) =>
        byName.compare(a.channel_target.name, b.channel_target.name),
      ),
    })),
  }))
}

export const summarize = (groups: Group[], statuses: Statuses): Summary => {
  const counts = { failed: 0, syncing: 0, waiting: 0, 'in-sync': 0, paused: 0 }
  let lastSyncedAt: string | null = null
  for (const { rows } of groups)
    for (const { listings } of rows)
      for (const listing of listings) {
        const status = statuses[listing.id]
        const state = stateOf(listing, status)
        if (state) counts[state] += 1
        const syncedAt = status?.last_synced_at ?? null
        if (syncedAt && (!lastSyncedAt || syncedAt > lastSyncedAt)) lastSyncedAt = syncedAt
      }
  return { counts, lastSyncedAt }
}

/**
 * The rows that match the filter; each word must occur in the unit, its space or its listings. One row stays although its
 * state has changed: a price may be typed in it.
 */
export const filterGroups = (
  groups: Group[],
  statuses: Statuses,
  { q = '', state }: Filter,
  keptUnitId: string | null = null,
): Group[] => {
  const words = fold(q).split(/\s+/).filter(Boolean)
  if (words.length === 0 && !state) return groups
  const matches = (space: Space, { unit, listings }: Row) => {
    const isInState = (listing: ChannelListing) => stateOf(listing, statuses[listing.id]) === state
    if (state && unit.id !== keptUnitId && !listings.some(isInState)) return false
    const texts = [
      unit.name,
      unit.type,
      space.name,
      space.city,
      ...listings.flatMap(({ external_id, channel_target }) => [external_id, channel_target.name]),
    ]
    const text = fold(texts.join('\n'))
    return words.every((word) => text.includes(word))
  }
  return groups
    .map(({ space, rows }) => ({ space, rows: rows.filter((row) => matches(space, row)) }))
    .filter(({ rows }) => rows.length > 0)
}

const compareNames = (a: { name: string }, b: { name: string }) => byName.compare(a.name, b.name)
