import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { getSalesStopReach, listSalesStops, previewSalesStop } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { useConnection } from '../../live/connection.ts'
import { useApi } from '../../session/api.tsx'
import { usePlaces } from '../bookings/use-places.ts'
import { useUnitsById } from '../units/use-units-by-id.ts'
import type { StopSubject } from './filter.ts'
import { stopMessages } from './messages.ts'

export type SalesStop = contract.SalesStop
export type Reach = contract.SalesStopReach

const pollMs = 20_000

export const isReached = ({ reached, listings }: Reach): boolean => reached === listings

/** How far a stop, or its end, has got. The stream says when it gets further; without it that is asked for. */
export const useReach = ({ id, lifted_at }: SalesStop) => {
  const api = useApi()
  const isPolling = useConnection() === 'polling'
  return useQuery<Reach>({
    queryKey: [getSalesStopReach.path, id, lifted_at],
    queryFn: async ({ signal }) => (await api.send(getSalesStopReach, { path: { id }, signal })).reach,
    refetchInterval: ({ state }) => isPolling && state.data && !isReached(state.data) && pollMs,
  })
}

/** What stops of these subjects would cover together; undefined until all of it is known. */
export const usePreview = (subjects: readonly StopSubject[]) => {
  const api = useApi()
  return useQueries({
    queries: subjects.map((query) => ({
      queryKey: [previewSalesStop.path, query],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.send(previewSalesStop, { query, signal })).reach,
    })),
    combine: (results) => ({
      error: results.find(({ error }) => error)?.error ?? null,
      refetch: () => results.forEach((one) => void one.refetch()),
      preview: results.every(({ data }) => data)
        ? sumOf(results.map(({ data }) => data as Reach))
        : undefined,
    }),
  })
}

export const useRefreshStops = () => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ predicate: ({ queryKey: [path] }) => isOfStops(path) })
}

const isOfStops = (path: unknown) => typeof path === 'string' && path.startsWith(listSalesStops.path)

/** What these stops stop, in words. */
export const useStopName = (stops: readonly { unit_id?: string | null }[]) => {
  const text = useMessages(stopMessages)
  const { spaceOf, targets } = usePlaces()
  const units = useUnitsById(stops.flatMap(({ unit_id }) => unit_id ?? []))
  return ({ unit_id, space_id, channel_target_id }: { [Name in keyof StopSubject]?: string | null }) => {
    const channel = channel_target_id && (targets.find(({ id }) => id === channel_target_id)?.name ?? '…')
    const unit = unit_id ? units[unit_id] : undefined
    const spaceId = space_id ?? unit?.space_id
    const space = spaceId ? spaceOf(spaceId) : undefined
    const names = unit_id ? [unit?.name ?? '…', space?.name] : [space_id && (space?.name ?? '…')]
    const place = names.filter(Boolean).join(', ')
    if (place && channel) return text('placeAtChannel', { place, channel })
    return place || channel || text('everything')
  }
}

const nothing: Reach = { units: 0, stopped_otherwise: 0, listings: 0, reached: 0, failing: 0, paused: 0 }

const sumOf = (reaches: readonly Reach[]): Reach =>
  reaches.reduce(
    (sum, reach) => ({
      units: sum.units + reach.units,
      stopped_otherwise: sum.stopped_otherwise + reach.stopped_otherwise,
      listings: sum.listings + reach.listings,
      reached: sum.reached + reach.reached,
      failing: sum.failing + reach.failing,
      paused: sum.paused + reach.paused,
    }),
    nothing,
  )
