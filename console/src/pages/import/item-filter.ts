import { oneOf, readSearch } from '../../components/read-search.ts'

export const itemKinds = ['unit', 'space', 'rate_plan', 'photo'] as const
export const itemActions = ['create', 'match', 'skip'] as const

/** Which items are shown. */
export const readItemFilter = readSearch({ kind: oneOf(itemKinds), action: oneOf(itemActions) })
export type ItemFilter = ReturnType<typeof readItemFilter>
