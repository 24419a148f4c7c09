import { useMemo, useRef } from 'react'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import type { QueryClient, UseQueryResult } from '@tanstack/react-query'
import { listCalendar } from '@vacancy/client'
import type { Client } from '@vacancy/client'

import { useConnection } from '../../live/connection.ts'
import { useApi } from '../../session/api.tsx'
import { blocksOf, layOutBars } from './bars.ts'
import type { Bar, Block } from './bars.ts'
import { withPushedStates } from './live-tiles.ts'
import type { CalendarUnit } from './rows.ts'
import { readTile, tileDates, tileStart, unitsPerTile } from './tile.ts'
import type { Night, Tile, TileListing, UnitNights } from './tile.ts'

/** What is known of one unit; the same object as long as nothing of it changed. */
export interface UnitData {
  tiles: ReadonlyMap<number, UnitNights>
  bars: readonly Bar[]
  blocks: readonly Block[]
  listings: readonly TileListing[]
}

export interface CalendarData {
  of: (unitId: string) => UnitData
  nightOf: (unitId: string, day: number) => Night | undefined
  error: Error | null
  refetch: () => void
}

/** The part of the calendar whose nights are needed: pieces of the list of units, and the first days of tiles. */
export interface Needed {
  pieces: readonly number[]
  starts: readonly number[]
}

/** The month on a phone, with the days of its neighbours. */
export const neededOnPhone = (position: number, day: number): Needed => ({
  pieces: [Math.floor(position / unitsPerTile)],
  starts: [...new Set([tileStart(day - 38), tileStart(day), tileStart(day + 45)])],
})

export const tileKey = (ids: readonly string[], start: number) => ['calendar', 'tile', start, ids]

/** A tab without a live connection asks for each tile so often that it stays below six requests a minute. */
const pollMsPerTile = 20_000

/** Reads the tiles under the visible part of the calendar. */
export const useCalendar = (units: readonly CalendarUnit[], { pieces, starts }: Needed): CalendarData => {
  const api = useApi()
  const queries = useQueryClient()
  const connection = useConnection()
  const known = useRef(new Map<string, UnitData>())
  const requests = useMemo(
    () =>
      pieces.flatMap((piece) => {
        const ids = units.slice(piece * unitsPerTile, (piece + 1) * unitsPerTile).map(({ id }) => id)
        return ids.length === 0 ? [] : starts.map((start) => ({ ids, start }))
      }),
    [units, pieces, starts],
  )
  const { tiles, error } = useQueries({
    queries: requests.map(({ ids, start }) => ({
      queryKey: tileKey(ids, start),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        loadTile(api, ids, start, queries.getQueryData<Tile>(tileKey(ids, start)), signal),
      staleTime: 60_000,
      structuralSharing: false,
      refetchInterval: connection === 'polling' ? pollMsPerTile * requests.length : (false as const),
    })),
    combine: combineTiles,
  })

  return useMemo(() => {
    const tilesByUnit = new Map<string, Map<number, UnitNights>>()
    for (const tile of tiles)
      for (const [id, nights] of tile.units) {
        const own = tilesByUnit.get(id) ?? new Map<number, UnitNights>()
        tilesByUnit.set(id, own.set(tile.from, nights))
      }
    const next = new Map<string, UnitData>()
    for (const [id, own] of tilesByUnit) {
      const before = known.current.get(id)
      next.set(id, before && isSame(before.tiles, own) ? before : unitDataOf(own))
    }
    known.current = next
    const of = (unitId: string) => next.get(unitId) ?? noData
    return {
      of,
      nightOf: (unitId, day) => of(unitId).tiles.get(tileStart(day))?.nights[day - tileStart(day)],
      error,
      refetch: () => void queries.refetchQueries({ queryKey: ['calendar'], type: 'active' }),
    }
  }, [tiles, error])
}

const combineTiles = (results: UseQueryResult<Tile>[]) => ({
  tiles: results.flatMap(({ data }) => data ?? []),
  error: results.find(({ error, data }) => error && !data)?.error ?? null,
})

const noData: UnitData = { tiles: new Map(), bars: [], blocks: [], listings: [] }

const isSame = (before: UnitData['tiles'], now: UnitData['tiles']) =>
  before.size === now.size && [...now].every(([start, nights]) => before.get(start) === nights)

const unitDataOf = (tiles: ReadonlyMap<number, UnitNights>): UnitData => {
  const stays = new Map([...tiles.values()].flatMap((tile) => tile.stays.map((stay) => [stay.id, stay])))
  const ordered = [...tiles].toSorted(([a], [b]) => a - b)
  return {
    tiles,
    bars: layOutBars(stays.values()),
    blocks: blocksOf(ordered),
    listings: ordered[0]?.[1].listings ?? [],
  }
}

const loadTile = async (
  api: Client,
  ids: string[],
  start: number,
  known: Tile | undefined,
  signal: AbortSignal,
): Promise<Tile> => {
  const query = { unit_id: ids, ...tileDates(start), limit: unitsPerTile }
  const startedAt = performance.now()
  const reply = await api.readIfChanged(listCalendar, known?.etag ?? null, { query, signal })
  const tile = reply ? readTile(reply.data.calendar, start, reply.etag) : known
  if (!tile) throw new Error('The service says that nothing changed, but nothing is known here')
  return withPushedStates(tile, startedAt)
}

/** Shows a change before the API has answered; the tiles are read again afterwards. */
export const updateCachedUnits = (
  queries: QueryClient,
  update: (unitId: string, unit: UnitNights, from: number) => UnitNights,
) => {
  queries.setQueriesData<Tile>({ queryKey: ['calendar', 'tile'] }, (tile) => {
    if (!tile) return tile
    const units = new Map([...tile.units].map(([id, unit]) => [id, update(id, unit, tile.from)]))
    const isChanged = [...units].some(([id, unit]) => tile.units.get(id) !== unit)
    return isChanged ? { ...tile, units, etag: null } : tile
  })
}

/** Reads the visible nights again, after a change; what is not visible, when it is. */
export const useRefreshCalendar = () => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['calendar', 'tile'] })
}
