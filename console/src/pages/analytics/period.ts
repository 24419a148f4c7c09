import { date, flag, oneOf, readSearch, text } from '../../components/read-search.ts'

export const presets = ['last-90', 'last-365', 'next-90'] as const
export const groupings = ['day', 'week', 'month'] as const
export type Preset = (typeof presets)[number]
export type Grouping = (typeof groupings)[number]

export const readAnalyticsSearch = readSearch({
  period: oneOf<Preset>(presets),
  from: date,
  to: date,
  by: oneOf<Grouping>(groupings),
  space: text,
  compare: flag,
})
export type AnalyticsSearch = ReturnType<typeof readAnalyticsSearch>

/** Nights, both included. */
export interface Period {
  from: string
  to: string
}

const maxNights = 731
const defaultNights = 30

const dayMs = 86_400_000
const shiftDate = (date: string, days: number) =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
const nightsOf = ({ from, to }: Period) => (Date.parse(to) - Date.parse(from)) / dayMs + 1

/** The nights of an address: what it names, at most two years, else a period around today. */
export const periodOf = ({ period, from, to }: AnalyticsSearch, today: string): Period => {
  if (from || to) {
    const ends = [from ?? to, to ?? from].toSorted() as [string, string]
    const first = from ? ends[0] : shiftDate(ends[1], 1 - defaultNights)
    const last = to ? ends[1] : shiftDate(ends[0], defaultNights - 1)
    return { from: first, to: last < shiftDate(first, maxNights) ? last : shiftDate(first, maxNights - 1) }
  }
  if (period === 'next-90') return { from: today, to: shiftDate(today, 89) }
  const nights = period === 'last-90' ? 90 : period === 'last-365' ? 365 : defaultNights
  return { from: shiftDate(today, 1 - nights), to: today }
}

/** Groups that leave between ten and sixty of them. */
export const groupingOf = ({ by }: AnalyticsSearch, period: Period): Grouping => {
  const nights = nightsOf(period)
  return by ?? (nights <= 60 ? 'day' : nights <= 200 ? 'week' : 'month')
}

/** The year before: on the same weekdays, because they decide more than the date does, or in the same months. */
export const yearBefore = ({ from, to }: Period, by: Grouping): Period =>
  by === 'month'
    ? { from: sameDayYearBefore(from), to: sameDayYearBefore(to) }
    : { from: shiftDate(from, -364), to: shiftDate(to, -364) }

const sameDayYearBefore = (date: string) => {
  const year = Number(date.slice(0, 4)) - 1
  return date.endsWith('02-29') ? `${year}-02-28` : `${year}${date.slice(4)}`
}
