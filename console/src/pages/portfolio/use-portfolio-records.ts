import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { listChannelListings, listSpaces, listUnits } from '@vacancy/client'
import type { ChannelListing, Space, Unit } from '@vacancy/client'

import { useListStaleMs } from '../../live/connection.ts'
import { allUnitsKey } from '../../live/units.ts'
import { useApi } from '../../session/api.tsx'

export const useSpaces = () => {
  const api = useApi()
  const queries = useQueryClient()
  return useQuery<Space[]>({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => readAll(queries, ['spaces'], api.listAll(listSpaces, { signal })),
    staleTime: useListStaleMs(),
  })
}

/**
 * All units; the first page is shown while further ones are still loading. For what shows all of them only: 20,000 are 200
 * requests. `useUnitsById` reads the others.
 */
export const useAllUnits = (isEnabled = true) => {
  const api = useApi()
  const queries = useQueryClient()
  return useQuery<Unit[]>({
    queryKey: allUnitsKey,
    queryFn: ({ signal }) => readAll(queries, allUnitsKey, api.listAll(listUnits, { signal })),
    staleTime: useListStaleMs(),
    enabled: isEnabled,
  })
}

/** Spaces, units and listings. */
export const usePortfolioRecords = () => {
  const api = useApi()
  const queries = useQueryClient()
  const spaces = useSpaces()
  const units = useAllUnits()
  const listings = useQuery<ChannelListing[]>({
    queryKey: ['channel-listings'],
    queryFn: ({ signal }) =>
      readAll(queries, ['channel-listings'], api.listAll(listChannelListings, { signal })),
    staleTime: useListStaleMs(),
  })
  const all = [spaces, units, listings]
  return {
    spaces: spaces.data,
    units: units.data,
    listings: listings.data,
    error: all.find(({ error }) => error)?.error ?? null,
    refetch: () => all.forEach((query) => void query.refetch()),
  }
}

const renderEvery = 100

interface Versioned {
  id: string
  updated_at: string
}

const readAll = async <T extends Versioned>(
  queries: QueryClient,
  key: QueryKey,
  records: AsyncIterable<T>,
): Promise<T[]> => {
  const isFirst = queries.getQueryData(key) === undefined
  const found: T[] = []
  /** What was found; a record that was read again by itself meanwhile is newer. */
  const latest = () => {
    const known = new Map(queries.getQueryData<T[]>(key)?.map((record) => [record.id, record]))
    return found.map((record) => {
      const other = known.get(record.id)
      return other && other.updated_at > record.updated_at ? other : record
    })
  }
  for await (const record of records) {
    found.push(record)
    if (isFirst && found.length % renderEvery === 0) queries.setQueryData(key, latest())
  }
  return latest()
}
