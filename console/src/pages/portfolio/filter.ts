import { syncStates } from '../../parts/sync-state.ts'
import type { SyncState } from '../../parts/sync-state.ts'

/** What of the portfolio is shown; it lives in the address, so that a view can be sent to a colleague. */
export interface Filter {
  q?: string
  state?: SyncState
}

/** Anything the address bar may hold becomes a filter; what makes no sense is left out. */
export const readFilter = (search: Record<string, unknown>): Filter => {
  const { q: asked } = search
  const q = typeof asked === 'string' || typeof asked === 'number' ? String(asked).slice(0, 200) : ''
  const state = syncStates.find((known) => known === search.state)
  return { ...(q && { q }), ...(state && { state }) }
}
