import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { changeCalendar, copyCalendar } from '@vacancy/client'
import type { Client, contract } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import type { CalendarValue } from './change-draft.ts'

export type Preview = contract.CalendarPreview

const typingMs = 250

const previewQuery = (key: string, input: object, send: (signal: AbortSignal) => Promise<object>) =>
  queryOptions({
    queryKey: ['calendar', key, input],
    queryFn: async ({ signal }) => {
      const reply: { calendar_preview?: Preview } = await send(signal)
      if (!reply.calendar_preview) throw new Error('The service made the change instead of previewing it')
      return reply.calendar_preview
    },
    staleTime: 10_000,
    retry: false,
  })

/** What a change would come to, asked from the API without making it. */
export const previewChange = (api: Client, values: CalendarValue[]) =>
  previewQuery('preview', values, (signal) =>
    api.send(changeCalendar, { body: { values, dry_run: true }, signal }),
  )

/** What a copy would change. */
export const previewCopy = (api: Client, body: contract.CalendarCopyInput) =>
  previewQuery('copy', body, (signal) => api.send(copyCalendar, { body: { ...body, dry_run: true }, signal }))

/** Asks once the input has not changed for a moment; null is not asked for. */
export const usePreview = <Input extends object>(
  input: Input | null,
  preview: (api: Client, input: Input) => ReturnType<typeof previewQuery>,
) => {
  const api = useApi()
  const [settled] = useDebouncedValue(input, typingMs)
  const isSettled = JSON.stringify(settled) === JSON.stringify(input)
  const { data, error, refetch } = useQuery({
    ...preview(api, settled ?? ({} as Input)),
    enabled: settled !== null && isSettled,
  })
  const retry = () => void refetch()
  return input !== null && isSettled
    ? { preview: data, error, retry }
    : { preview: undefined, error: null, retry }
}

/** Why a person should look again before a change is made; `belowMinimum` is refused by the API. */
export type Warning = 'zero' | 'belowMinimum' | 'overHalf'

export const warningsOf = ({ ranges, nights_below_minimum, nights_over_half }: Preview): Warning[] => [
  ...(nights_below_minimum > 0 ? (['belowMinimum'] as const) : []),
  ...(ranges.some((range) => range.after.price_cents === 0) ? (['zero'] as const) : []),
  ...(nights_over_half > 0 ? (['overHalf'] as const) : []),
]
