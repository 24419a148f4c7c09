import { syncStates } from '../../live/sync-state.ts'
import type { SyncState } from '../../live/sync-state.ts'

/** Which part of the portfolio is shown; kept in the address so that a view can be sent to a colleague. */
export interface Filter {
  q?: string
  state?: SyncState
}

/** Reads the filter from an address; whatever is not understood is left out. */
export const readFilter = (search: Record<string, unknown>): Filter => {
  const { q: value } = search
  const q = typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : ''
  const state = syncStates.find((known) => known === search.state)
  return { ...(q && { q }), ...(state && { state }) }
}
