import { useEffect, useMemo } from 'react'
import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { listAvailability, listCalendar, searchCalendar } from '@vacancy/client'
import type { Client } from '@vacancy/client'

import { useListStaleMs } from '../../live/connection.ts'
import { useApi } from '../../session/api.tsx'
import type { UnitFilter } from './filter.ts'
import { everyUnit, nightsOfFirstUnits } from './first-nights.ts'
import { dateOf } from './nights.ts'
import { readUnit } from './rows.ts'
import type { CalendarUnit } from './rows.ts'
import { readTile, tileStart } from './tile.ts'
import { tileKey } from './use-calendar.ts'

const unitsPerPage = 100
const noUnits: CalendarUnit[] = []

export interface CalendarUnits {
  /** Undefined until some are known. */
  units: readonly CalendarUnit[] | undefined
  error: Error | null
  refetch: () => void
  /** Why not all of them are known. */
  moreError: Error | null
  loadMore: () => void
}

/**
 * The units that match, in the order of the calendar. They are read as tiles of one night, page after page; beside the
 * first page the nights of the first units are read, so that these are shown before all units are known.
 */
export const useCalendarUnits = (filter: UnitFilter, day: number, today: number): CalendarUnits => {
  const api = useApi()
  const queries = useQueryClient()
  const start = tileStart(day)
  const isByDates = 'freeFrom' in filter
  // Nights that change do not change other lists of units, which are 200 requests with 20,000 units.
  const isByNights = isByDates || 'state' in filter || 'channel' in filter
  const staleTime = useListStaleMs()

  const all = useInfiniteQuery({
    queryKey: [isByNights ? 'calendar' : 'calendar-units', 'units', filter],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const { freeIds, ...query } = await readQuery(api, filter, signal)
      if (freeIds?.length === 0) return { units: noUnits, cursor: null }
      const night = { from: dateOf(today), to: dateOf(today), limit: unitsPerPage }
      const args = { ...query, ...night, ...(cursor && { cursor }) }
      const reply = freeIds
        ? await api.send(searchCalendar, { body: { ...args, unit_id: freeIds }, signal })
        : await api.send(listCalendar, { query: args, signal })
      return { units: reply.calendar.map(readUnit), cursor: reply.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.cursor,
    placeholderData: keepPreviousData,
    staleTime,
  })
  const firstNights = queryOptions({
    queryKey: ['calendar', 'first', filter, start],
    queryFn: async ({ signal }) => {
      const { freeIds: _, ...query } = await readQuery(api, filter, signal)
      const args = nightsOfFirstUnits(query, day)
      const { data, etag } = await api.request(listCalendar, { query: args, signal })
      const units = data.calendar.map(readUnit)
      const ids = units.map(({ id }) => id)
      queries.setQueryData(tileKey(ids, start), readTile(data.calendar, start, etag))
      return units
    },
    enabled: !isByDates && all.data === undefined,
    staleTime: Infinity,
  })
  // Asked for while the page is drawn, not after it.
  if (firstNights.enabled && !queries.getQueryState(firstNights.queryKey))
    void queries.prefetchQuery(firstNights)
  const first = useQuery(firstNights)

  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = all
  useEffect(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])

  const pages = all.data?.pages
  const units = useMemo(() => pages?.flatMap((page) => page.units) ?? first.data, [pages, first.data])
  return {
    units,
    error: units ? null : all.error,
    refetch: () => void all.refetch(),
    moreError: units && (isFetchNextPageError || !pages) ? all.error : null,
    loadMore: () => void (pages ? fetchNextPage() : all.refetch()),
  }
}

/** The filter as the API knows it; units that can be booked on given days are found first. */
const readQuery = async (api: Client, filter: UnitFilter, signal: AbortSignal) => {
  const { q, space, channel, state, freeFrom, freeTo } = filter
  const spaces = space ? { space_id: [space] } : {}
  const query = {
    ...everyUnit,
    ...(q && { q }),
    ...spaces,
    ...(channel && { channel_target_id: [channel] }),
    ...(state && { sync_state: [state] }),
  }
  if (!freeFrom || !freeTo) return { ...query, freeIds: null }
  const freeIds: string[] = []
  const free = api.listAll(listAvailability, { query: { from: freeFrom, to: freeTo, ...spaces }, signal })
  for await (const { unit_id } of free) freeIds.push(unit_id)
  return { ...query, freeIds }
}
