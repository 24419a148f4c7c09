import { useQuery } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { listSyncStatuses, findUnit } from '@vacancy/client'
import type { ChannelListing, Client, SyncStatus, Unit } from '@vacancy/client'

import { useApi } from './api.tsx'
import { useLink } from './link.ts'
import type { Statuses } from './parts/sync-state.ts'

const pollMs = 5000
/** Past this many changed units one list is cheaper than as many single reads. */
const fewUnits = 12

/** What the stream said lately: it outruns a list that was read while it spoke. */
const heard = new Map<string, { status: SyncStatus; at: number }>()

/** The sync status of every listing: pushed while the link is live, asked for while it is not. */
export const useStatuses = () => {
  const api = useApi()
  const link = useLink()
  return useQuery<Statuses>({
    queryKey: ['sync-statuses'],
    queryFn: async ({ signal }) => {
      const begun = performance.now()
      const statuses: Statuses = {}
      for await (const status of api.each(listSyncStatuses, { signal })) {
        const later = heard.get(status.channel_listing_id)
        statuses[status.channel_listing_id] = later && later.at >= begun ? later.status : status
      }
      return statuses
    },
    // Asked for only after the stream has begun, or a change between the two would be missed.
    enabled: link !== 'connecting',
    refetchInterval: link === 'polling' ? pollMs : false,
  })
}

/** Remembers when something was said, whenever it may come to be shown. */
export const hear = (status: SyncStatus) => {
  heard.set(status.channel_listing_id, { status, at: performance.now() })
}

/** Puts pushed statuses where the page reads them, and fetches the units they are about. */
export const showStatuses = (queries: QueryClient, api: Client, batch: Map<string, SyncStatus>) => {
  queries.setQueryData<Statuses>(
    ['sync-statuses'],
    (known) => known && { ...known, ...Object.fromEntries(batch) },
  )
  for (const id of batch.keys()) void queries.invalidateQueries({ queryKey: ['sync-audit', id] })

  const changed = new Set<string>()
  const listings = queries.getQueryData<ChannelListing[]>(['channel-listings']) ?? []
  for (const { id, unit_id } of listings) if (batch.get(id)?.status === 'pending') changed.add(unit_id)
  if (changed.size > fewUnits) void queries.invalidateQueries({ queryKey: ['units'] })
  else for (const id of changed) void refreshUnit(queries, api, id)
}

/** What is now known of a unit, in place of what is on the page. */
export const keepUnit = (queries: QueryClient, fresh: Partial<Unit> & { id: string }) => {
  queries.setQueryData<Unit[]>(['units'], (units) =>
    units?.map((unit) => (unit.id === fresh.id ? { ...unit, ...fresh } : unit)),
  )
}

const refreshUnit = async (queries: QueryClient, api: Client, id: string) => {
  const reply = await api.send(findUnit, { path: { id } }).catch(() => null)
  if (reply) keepUnit(queries, reply.unit)
}
