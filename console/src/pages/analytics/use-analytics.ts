import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getAnalytics } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import type { Period } from './period.ts'

/** The figures of a period; they count fifty against the limit of requests, so they are read again after minutes only. */
export const useAnalytics = (period: Period, space: string | undefined, enabled = true) => {
  const api = useApi()
  return useQuery({
    queryKey: [getAnalytics.path, period, space],
    queryFn: async ({ signal }) =>
      (await api.send(getAnalytics, { query: { ...period, ...(space && { space_id: space }) }, signal }))
        .analytics,
    enabled,
    staleTime: 300_000,
    placeholderData: keepPreviousData,
  })
}
