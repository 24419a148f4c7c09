import { useQuery } from '@tanstack/react-query'
import { listRatePlans } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { calendarMessages } from './messages.ts'

/** The rate plans of a unit, read when somebody looks at them. */
export const useRatePlans = (unitId: string | null) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['rate-plans', unitId],
    queryFn: async ({ signal }) => {
      const found = []
      for await (const plan of api.listAll(listRatePlans, { query: { unit_id: unitId ?? '' }, signal }))
        found.push(plan)
      return found
    },
    enabled: unitId !== null,
    staleTime: 300_000,
  })
  return data
}

export const useRatePlanName = (unitId: string, planId: string | null): string => {
  const text = useMessages(calendarMessages)
  const plans = useRatePlans(planId === null ? null : unitId)
  return plans?.find(({ id }) => id === planId)?.name ?? text('ratePlan')
}
