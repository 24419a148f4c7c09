import { oneOf, readSearch, text } from '../../components/read-search.ts'
import { syncStates } from '../../live/sync-state.ts'

/** Which part of the portfolio is shown. */
export const readFilter = readSearch({ q: text, state: oneOf(syncStates) })

export type Filter = ReturnType<typeof readFilter>
