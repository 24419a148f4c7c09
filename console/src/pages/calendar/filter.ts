import { date, oneOf, readSearch, text } from '../../components/read-search.ts'

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

export const syncFilters = ['failing', 'stale', 'behind', 'unverified', 'synced', 'unlinked'] as const

/** What the calendar shows: from which night, which units, and on a phone the unit of the month. */
export const readCalendarFilter = readSearch({
  from: date,
  q: text,
  space: text,
  channel: text,
  state: oneOf(syncFilters),
  /** Only units that can be booked from this day to the other. */
  freeFrom: date,
  freeTo: date,
  density: oneOf(densities),
  unit: text,
})

export type CalendarFilter = ReturnType<typeof readCalendarFilter>

/** The members that decide which units are shown. */
export const unitFilterOf = ({ q, space, channel, state, freeFrom, freeTo }: CalendarFilter) => ({
  ...(q && { q }),
  ...(space && { space }),
  ...(channel && { channel }),
  ...(state && { state }),
  ...(freeFrom && freeTo && freeFrom < freeTo && { freeFrom, freeTo }),
})

export type UnitFilter = ReturnType<typeof unitFilterOf>
