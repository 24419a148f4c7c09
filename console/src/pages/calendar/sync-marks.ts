import type { SyncState } from '../../live/sync-state.ts'
import { dateOf, weekdayOf } from './nights.ts'
import type { Weekday } from './nights.ts'
import type { TileListing } from './tile.ts'

export type Mark = 'sending' | 'atPms' | 'failed'

/** The nights that were changed on this page, so that each shows when the PMS has it. */
export interface ChangedNights {
  unitIds: ReadonlySet<string>
  from: number
  to: number
  weekdays: readonly Weekday[]
}

/** How far the PMS is with a night: nothing, when it has it for longer than this page knows. */
export const markOf = (
  listings: readonly TileListing[],
  day: number,
  changed: ChangedNights | null,
): Mark | null => {
  const date = dateOf(day)
  const states = listings.flatMap(({ paused, ranges }) =>
    paused ? [] : ranges.filter(({ date_from, date_to }) => date_from <= date && date <= date_to),
  )
  if (states.some(({ state }) => state === 'failed')) return 'failed'
  if (states.some(({ state }) => state === 'pending')) return 'sending'
  const isChanged =
    changed && day >= changed.from && day <= changed.to && changed.weekdays.includes(weekdayOf(day))
  return isChanged && states.length > 0 ? 'atPms' : null
}

/** A listing some of whose nights were just changed here: they wait until the stream says otherwise. */
export const withPendingNights = (listing: TileListing, days: readonly number[]): TileListing => {
  if (days.length === 0 || listing.paused || listing.ranges.length === 0) return listing
  const known = listing.ranges.map(({ date_from, date_to }) => [date_from, date_to] as const)
  const date_from = max(min(...known.map(([from]) => from)), dateOf(Math.min(...days)))
  const date_to = min(max(...known.map(([, to]) => to)), dateOf(Math.max(...days)))
  if (date_from > date_to) return listing
  return {
    ...listing,
    status: 'pending',
    ranges: [...listing.ranges, { date_from, date_to, state: 'pending' }],
  }
}

const min = (...dates: string[]) => dates.reduce((one, other) => (one < other ? one : other))
const max = (...dates: string[]) => dates.reduce((one, other) => (one > other ? one : other))

/** The state of the listing of a unit that is worst off. */
export const worstState = (listings: readonly TileListing[]): SyncState | null => {
  const states = listings.map(stateOf)
  return (
    (['failed', 'syncing', 'waiting', 'paused', 'in-sync'] as const).find((state) =>
      states.includes(state),
    ) ?? null
  )
}

const stateOf = ({ paused, status }: TileListing): SyncState => {
  if (paused) return 'paused'
  if (status === 'failed') return 'failed'
  if (status === 'in_progress') return 'syncing'
  return status === 'pending' ? 'waiting' : 'in-sync'
}
