import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { changeCalendar } from '@vacancy/client'
import type { Client, contract } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import type { CalendarValue } from './change-draft.ts'

export type Preview = contract.CalendarPreview

const typingMs = 250

/** What a change would come to, asked from the API without making it. */
export const previewOptions = (api: Client, values: CalendarValue[]) =>
  queryOptions({
    queryKey: ['calendar', 'preview', values],
    queryFn: async ({ signal }): Promise<Preview> => {
      const reply = await api.send(changeCalendar, { body: { values, dry_run: true }, signal })
      if (!('calendar_preview' in reply))
        throw new Error('The service made the change instead of previewing it')
      return reply.calendar_preview
    },
    staleTime: 10_000,
    retry: false,
  })

export const usePreview = (values: CalendarValue[] | null) => {
  const api = useApi()
  const [settled] = useDebouncedValue(values, typingMs)
  const isSettled = JSON.stringify(settled) === JSON.stringify(values)
  const { data, error } = useQuery({
    ...previewOptions(api, settled ?? []),
    enabled: values !== null && settled !== null && isSettled,
  })
  return values !== null && isSettled ? { preview: data, error } : { preview: undefined, error: null }
}

/** Why a person should look again before a change is made; `belowMinimum` is refused by the API. */
export type Warning = 'zero' | 'belowMinimum' | 'overHalf'

export const warningsOf = ({ ranges, nights_below_minimum, nights_over_half }: Preview): Warning[] => [
  ...(nights_below_minimum > 0 ? (['belowMinimum'] as const) : []),
  ...(ranges.some((range) => range.after.price_cents === 0) ? (['zero'] as const) : []),
  ...(nights_over_half > 0 ? (['overHalf'] as const) : []),
]
