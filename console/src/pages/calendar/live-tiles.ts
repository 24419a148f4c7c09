import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { SyncStatus } from '@vacancy/client'

import { onStatuses, pushedSince } from '../../live/sync-statuses.ts'
import { dateOf } from './nights.ts'
import { nightsPerTile } from './tile.ts'
import type { Tile, TileListing, UnitNights } from './tile.ts'

/** Tiles of units that changed are read again at most this often: a push changes many listings at once. */
const rereadMs = 1500

type StatusOf = (listingId: string) => SyncStatus | undefined

/** Keeps the sync states of the nights current, and reads what colleagues and channels change. */
export const useLiveTiles = () => {
  const queries = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const affected = new Set<string>()
    const reread = () => {
      timer = undefined
      const isAffected = (tile: Tile | undefined) =>
        tile?.etag !== undefined &&
        [...tile.units.values()].some(({ listings }) =>
          listings.some(({ channel_listing_id: id }) => affected.has(id)),
        )
      void queries.invalidateQueries({
        queryKey: ['calendar', 'tile'],
        predicate: ({ state }) => isAffected(state.data as Tile | undefined),
      })
      affected.clear()
    }
    const stop = onStatuses((batch) => {
      // A tile that is written counts as just read, also when it was to be read again.
      queries.setQueriesData<Tile>({ queryKey: ['calendar', 'tile'] }, (tile) => {
        const next = tile && withStates(tile, (id) => batch.get(id))
        return next === tile ? undefined : next
      })
      for (const id of batch.keys()) affected.add(id)
      timer ??= setTimeout(reread, rereadMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
      // What becomes of the states meanwhile is read when the calendar is shown again.
      void queries.invalidateQueries({ queryKey: ['calendar', 'tile'], refetchType: 'none' })
    }
  }, [queries])
}

/** States that were pushed while the tile was read are newer than it. */
export const withPushedStates = (tile: Tile, startedAt: number): Tile =>
  withStates(tile, (id) => pushedSince(id, startedAt))

const withStates = (tile: Tile, statusOf: StatusOf): Tile => {
  let isChanged = false
  const units = new Map<string, UnitNights>()
  for (const [id, unit] of tile.units) {
    const listings = unit.listings.map((listing) => {
      const status = statusOf(listing.channel_listing_id)
      return status ? withStatus(listing, status.status, tile.from) : listing
    })
    const isSame = listings.every((listing, index) => listing === unit.listings[index])
    if (!isSame) isChanged = true
    units.set(id, isSame ? unit : { ...unit, listings })
  }
  return isChanged ? { ...tile, units } : tile
}

const withStatus = (listing: TileListing, status: SyncStatus['status'], from: number): TileListing => {
  const [first] = listing.ranges
  const isWhole = listing.ranges.length === 1 && first?.state === 'synced'
  if (listing.status === status && (status !== 'completed' || isWhole)) return listing
  if (status === 'completed') {
    const date_from = first?.date_from ?? dateOf(from)
    const ends = listing.ranges.map((range) => range.date_to).toSorted()
    const date_to = ends.at(-1) ?? dateOf(from + nightsPerTile - 1)
    return { ...listing, status, error_code: null, ranges: [{ date_from, date_to, state: 'synced' }] }
  }
  const ranges = listing.ranges.map((range) =>
    status === 'failed' && range.state === 'pending' ? { ...range, state: 'failed' as const } : range,
  )
  return { ...listing, status, ranges }
}
