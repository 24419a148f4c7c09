import { syncStates } from '../../live/sync-state.ts'
import type { SyncState } from '../../live/sync-state.ts'

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

/** What the calendar shows; kept in the address so that a view can be sent to a colleague. */
export interface CalendarFilter {
  /** The first night that is in view. */
  from?: string
  q?: string
  space?: string
  state?: SyncState
  density?: Density
  /** The unit whose month is shown on a phone. */
  unit?: string
}

/** Reads the filter from an address; whatever is not understood is left out. */
export const readCalendarFilter = (search: Record<string, unknown>): CalendarFilter => {
  const text = (name: string) => {
    const value = search[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : ''
  }
  const from = text('from')
  const state = syncStates.find((known) => known === search.state)
  const density = densities.find((known) => known === search.density)
  return {
    ...(/^\d{4}-\d{2}-\d{2}$/.test(from) && !Number.isNaN(Date.parse(from)) && { from }),
    ...(text('q') && { q: text('q') }),
    ...(text('space') && { space: text('space') }),
    ...(state && { state }),
    ...(density && { density }),
    ...(text('unit') && { unit: text('unit') }),
  }
}
