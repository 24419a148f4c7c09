import { useMemo } from 'react'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { getCalendar, listBookings } from '@vacancy/client'
import type { Client, contract, Unit } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import { layOutBars } from './bars.ts'
import type { Bar } from './bars.ts'
import { unfoldUnit } from './night-terms.ts'
import type { Night, UnitNights } from './night-terms.ts'
import { dateOf } from './nights.ts'

type Booking = contract.Booking

const unitsPerTile = 25
export const nightsPerTile = 56

/** One answer of the API: some units and 56 nights. */
interface Tile {
  from: number
  units: Map<string, UnitNights>
}

export interface CalendarData {
  nightOf: (unitId: string, day: number) => Night | undefined
  tileOf: (unitId: string, day: number) => UnitNights | undefined
  barsOf: (unitId: string) => Bar[]
  error: Error | null
  refetch: () => void
}

interface Window {
  units: readonly Unit[]
  firstUnit: number
  lastUnit: number
  from: number
  to: number
}

/** Reads the tiles under the visible part of the calendar, and the stays on them. */
export const useCalendar = ({ units, firstUnit, lastUnit, from, to }: Window): CalendarData => {
  const api = useApi()
  const requests = useMemo(
    () => tilesUnder(units, firstUnit, lastUnit, from, to),
    [units, firstUnit, lastUnit, from, to],
  )
  const tiles = useQueries({
    queries: requests.map(({ ids, day }) => ({
      queryKey: ['calendar', 'nights', day, ids],
      queryFn: ({ signal }: { signal: AbortSignal }) => readTile(api, ids, day, signal),
      staleTime: 60_000,
    })),
    combine: (results) => ({
      data: results.flatMap(({ data }) => data ?? []),
      error: results.find(({ error }) => error)?.error ?? null,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  })
  const stays = useQueries({
    queries: requests.map(({ ids, day }) => ({
      queryKey: ['calendar', 'bookings', day, ids],
      queryFn: ({ signal }: { signal: AbortSignal }) => readBookings(api, ids, day, signal),
      staleTime: 60_000,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  })

  return useMemo(() => {
    const byUnit = new Map<string, Map<number, UnitNights>>()
    for (const tile of tiles.data)
      for (const [id, nights] of tile.units) {
        const known = byUnit.get(id) ?? new Map<number, UnitNights>()
        byUnit.set(id, known.set(tile.from, nights))
      }
    const bookings = new Map(stays.map((booking) => [booking.id, booking]))
    const bars = new Map(
      [...Map.groupBy(bookings.values(), ({ unitId }) => unitId ?? '')].map(([id, own]) => [
        id,
        layOutBars(own),
      ]),
    )
    const tileOf = (unitId: string, day: number) => byUnit.get(unitId)?.get(tileStart(day))
    return {
      tileOf,
      nightOf: (unitId, day) => tileOf(unitId, day)?.nights[day - tileStart(day)],
      barsOf: (unitId) => bars.get(unitId) ?? noBars,
      error: tiles.error,
      refetch: tiles.refetch,
    }
  }, [tiles.data, tiles.error, tiles.refetch, stays])
}

const noBars: Bar[] = []

/** Tiles begin on the same days for everybody, so that scrolling back finds them again. */
export const tileStart = (day: number): number =>
  day - ((((day - 4) % nightsPerTile) + nightsPerTile) % nightsPerTile)

const tilesUnder = (
  units: readonly Unit[],
  firstUnit: number,
  lastUnit: number,
  from: number,
  to: number,
) => {
  const found: { ids: string[]; day: number }[] = []
  const firstTile = Math.floor(Math.max(firstUnit, 0) / unitsPerTile)
  for (let tile = firstTile; tile * unitsPerTile <= lastUnit; tile += 1) {
    const ids = units.slice(tile * unitsPerTile, (tile + 1) * unitsPerTile).map(({ id }) => id)
    if (ids.length === 0) continue
    for (let day = tileStart(from); day <= to; day += nightsPerTile) found.push({ ids, day })
  }
  return found
}

const readTile = async (api: Client, ids: string[], from: number, signal: AbortSignal): Promise<Tile> => {
  const to = from + nightsPerTile - 1
  const query = { unit_id: ids, from: dateOf(from), to: dateOf(to) }
  const { calendar } = await api.send(getCalendar, { query, signal })
  return { from, units: new Map(calendar.map((unit) => [unit.unit_id, unfoldUnit(unit, from, to)])) }
}

const readBookings = async (api: Client, ids: string[], from: number, signal: AbortSignal) => {
  const found: Booking[] = []
  const query = {
    unit_id: ids,
    status: ['pending', 'confirmed', 'checked_in', 'checked_out'] as ('pending' | 'confirmed')[],
    check_in_to: dateOf(from + nightsPerTile),
    check_out_from: dateOf(from),
  }
  for await (const booking of api.listAll(listBookings, { query, signal })) found.push(booking)
  return found
}

/** Shows a change before the API has answered; the tiles are read again afterwards. */
export const updateCachedNights = (
  queries: QueryClient,
  update: (unitId: string, day: number, night: Night) => Night,
) => {
  queries.setQueriesData<Tile>({ queryKey: ['calendar', 'nights'] }, (tile) => {
    if (!tile) return tile
    const units = new Map(
      [...tile.units].map(([id, unit]) => {
        const nights = unit.nights.map((night, index) => update(id, tile.from + index, night))
        const isSame = nights.every((night, index) => night === unit.nights[index])
        return [id, isSame ? unit : { ...unit, nights, plans: withDefaultPlan(unit, nights) }]
      }),
    )
    return { ...tile, units }
  })
}

/** Reads everything of the calendar again, after a change. */
export const useRefreshCalendar = () => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['calendar'] })
}

const withDefaultPlan = ({ plans }: UnitNights, nights: Night[]) =>
  plans.map((plan, index) => (index === 0 ? { ...plan, nights } : plan))
