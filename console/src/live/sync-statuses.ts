import { useQuery } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { listSyncAudit, listSyncStatuses } from '@vacancy/client'
import type { Client, SyncStatus } from '@vacancy/client'

import { useApi } from '../session/api.tsx'
import { useConnection } from './connection.ts'
import type { Statuses } from './sync-state.ts'

const pollMs = 20_000
const pageSize = 100

/** The latest pushed states: they are newer than a list whose reading began before them. */
const pushed = new Map<string, { status: SyncStatus; at: number }>()

type StatusListener = (batch: ReadonlyMap<string, SyncStatus>) => void
const listeners = new Set<StatusListener>()

/** Calls back with the states that change, as they are shown; returns how to stop. */
export const onStatuses = (listener: StatusListener) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The state of a listing that was pushed after this moment, which is newer than what was asked for then. */
export const pushedSince = (listingId: string, startedAt: number): SyncStatus | undefined => {
  const push = pushed.get(listingId)
  return push && push.at >= startedAt ? push.status : undefined
}

/** Which listings a screen shows; every one by default. */
interface StatusFilter {
  unit_id?: string[]
  channel_target_id?: string[]
}

/**
 * The sync status of each listing: pushed while the connection is live, polled while it is not. A screen reads only those
 * that it shows: all of 20,000 listings are 200 requests, of 1,000 that the organization has in a minute.
 */
export const useStatuses = (filter: StatusFilter | null = {}) => {
  const api = useApi()
  const connection = useConnection()
  const { data, error, refetch } = useQuery<Statuses>({
    queryKey: ['sync-statuses', filter],
    queryFn: ({ signal, client, queryKey }) =>
      readStatuses(api, filter ?? {}, signal, client.getQueryData<Statuses>(queryKey)),
    // Read only after the stream has begun: a change between the two would be missed otherwise.
    enabled: connection !== 'connecting' && filter !== null,
    refetchInterval: connection === 'polling' ? pollMs : false,
  })
  return { statuses: data, error: data ? null : error, refetch }
}

/**
 * The states that changed last come first, so a poll reads one page, and further ones only as long as they bring
 * something new. Reading all pages at every poll cost 118 requests a minute with 1,000 units.
 */
const readStatuses = async (
  api: Client,
  filter: StatusFilter,
  signal: AbortSignal,
  known: Statuses = {},
): Promise<Statuses> => {
  const startedAt = performance.now()
  const statuses: Statuses = { ...known }
  let read = 0
  let changed = 0
  const query = { ...filter, sort: '-changed_at', limit: pageSize } as const
  for await (const status of api.listAll(listSyncStatuses, { query, signal })) {
    const id = status.channel_listing_id
    if (JSON.stringify(known[id]) !== JSON.stringify(status)) changed += 1
    statuses[id] = pushedSince(id, startedAt) ?? status
    read += 1
    if (read % pageSize > 0) continue
    if (changed === 0) break
    changed = 0
  }
  return statuses
}

/** Remembers when a state was pushed, before it is shown. */
export const recordStatus = (status: SyncStatus) => {
  pushed.set(status.channel_listing_id, { status, at: performance.now() })
}

/** The history of a listing, however many pages of it are read. */
export const auditKey = (listingId: string) => [
  listSyncAudit.path,
  { query: { channel_listing_id: listingId } },
]

/** Puts pushed statuses into the cache. */
export const showStatuses = (queries: QueryClient, batch: Map<string, SyncStatus>) => {
  queries.setQueriesData<Statuses>(
    { queryKey: ['sync-statuses'] },
    (known) => known && { ...known, ...Object.fromEntries(batch) },
  )
  for (const listener of listeners) listener(batch)
  for (const id of batch.keys()) void queries.invalidateQueries({ queryKey: auditKey(id) })
}
