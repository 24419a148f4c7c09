import { useQuery } from '@tanstack/react-query'
import { getToday } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useApi, useCaller } from '../session/api.tsx'

export type Today = contract.Today

/** Changes are pushed, but no event says that another day has begun. */
const newDayMs = 600_000

/** What the day brings and what is wrong, in one request; shared by the navigation, Today and the inbox. */
export const useToday = () => {
  const api = useApi()
  const { caller } = useCaller()
  return useQuery<Today>({
    queryKey: [getToday.path],
    queryFn: async ({ signal }) => (await api.send(getToday, { signal })).today,
    enabled: caller !== undefined,
    refetchInterval: newDayMs,
  })
}

/** How many things wait for a person: conflicts, causes of failing syncs, and the other alerts. */
export const attentionCount = ({ conflicts, sync_failures, alerts }: Today): number =>
  conflicts.count + (sync_failures?.causes ?? 0) + (alerts?.count ?? 0)
