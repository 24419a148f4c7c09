import { date, oneOf, readSearch, text } from '../../components/read-search.ts'
import { syncStates } from '../../live/sync-state.ts'

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

/** What the calendar shows: from which night, which units, and on a phone the unit of the month. */
export const readCalendarFilter = readSearch({
  from: date,
  q: text,
  space: text,
  state: oneOf(syncStates),
  density: oneOf(densities),
  unit: text,
})

export type CalendarFilter = ReturnType<typeof readCalendarFilter>
