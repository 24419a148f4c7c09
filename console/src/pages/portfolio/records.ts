import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { listChannelListings, listSpaces, listUnits } from '@vacancy/client'
import type { ChannelListing, Space, Unit } from '@vacancy/client'

import { useApi } from '../../api.tsx'

/** Everything the portfolio is made of; the first page is shown while the others are still coming. */
export const usePortfolioRecords = () => {
  const api = useApi()
  const queries = useQueryClient()
  const spaces = useQuery<Space[]>({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => gather(queries, ['spaces'], api.each(listSpaces, { signal })),
  })
  const units = useQuery<Unit[]>({
    queryKey: ['units'],
    queryFn: ({ signal }) => gather(queries, ['units'], api.each(listUnits, { signal })),
  })
  const listings = useQuery<ChannelListing[]>({
    queryKey: ['channel-listings'],
    queryFn: ({ signal }) => gather(queries, ['channel-listings'], api.each(listChannelListings, { signal })),
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

const shownEvery = 100

const gather = async <T>(queries: QueryClient, key: QueryKey, records: AsyncIterable<T>): Promise<T[]> => {
  const isFirst = queries.getQueryData(key) === undefined
  const found: T[] = []
  for await (const record of records) {
    found.push(record)
    if (isFirst && found.length % shownEvery === 0) queries.setQueryData(key, found.slice())
  }
  return found
}
