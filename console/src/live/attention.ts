import { useQuery } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import {
  getSalesStopReach,
  getToday,
  listAlerts,
  listBookingConflicts,
  listSyncFailures,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useApi, useCaller } from '../session/api.tsx'

export type Today = contract.Today

/** A conflict changes no sync state, so that it is found by asking. */
const pollMs = 60_000
const refreshEveryMs = 2000

/** The operations whose answers change with the sync states. */
const paths: readonly unknown[] = [
  getToday,
  listBookingConflicts,
  listAlerts,
  listSyncFailures,
  getSalesStopReach,
].map(({ path }) => path)

/** What the day brings and what is wrong, in one request; shared by the navigation, Today and the inbox. */
export const useToday = () => {
  const api = useApi()
  const { caller, may } = useCaller()
  return useQuery<Today>({
    queryKey: [getToday.path],
    queryFn: async ({ signal }) => (await api.send(getToday, { signal })).today,
    enabled: caller !== undefined && may('bookings:read'),
    refetchInterval: pollMs,
  })
}

/** How many things wait for a person: conflicts, causes of failing syncs, and the other alerts. */
export const attentionCount = ({ conflicts, sync_failures, alerts }: Today): number =>
  conflicts.count + (sync_failures?.causes ?? 0) + (alerts?.count ?? 0)

/** Reads again what is wrong; many changes at once are read once. */
export const refreshAttention = (queries: QueryClient): void => {
  timer ??= setTimeout(() => {
    timer = undefined
    void queries.invalidateQueries({ predicate: ({ queryKey: [path] }) => paths.includes(path) })
  }, refreshEveryMs)
}
let timer: ReturnType<typeof setTimeout> | undefined
