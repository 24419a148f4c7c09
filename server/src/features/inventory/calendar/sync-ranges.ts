import { dateOf, nightOf } from '#schema/nights.ts'

/** The sync state of one listing, as the statement of the tile returns it. */
export interface ListingProgress {
  readonly channel_listing_id: string
  readonly channel_target_id: string
  readonly status: string
  readonly is_behind: boolean
  /** Whether the next push sends all nights. */
  readonly is_whole: boolean
  readonly behind_from: string | null
  readonly behind_to: string | null
  readonly is_unverified: boolean
  /** Null means all nights. */
  readonly unverified_from: string | null
  readonly unverified_to: string | null
  readonly error_code: string | null
  readonly stale: boolean
  readonly paused: boolean
}

/** The filter of units by the state of their listings. */
export const syncFilters = ['failing', 'stale', 'behind', 'unverified', 'synced', 'unlinked'] as const
export type SyncFilter = (typeof syncFilters)[number]

/** How many nights, counted from today at the unit, are kept up to date at a PMS. */
export const syncedNights = 500

export const rangeStates = ['synced', 'unverified', 'pending', 'failed'] as const
type RangeState = (typeof rangeStates)[number]

interface SyncRange {
  readonly date_from: string
  readonly date_to: string
  readonly state: RangeState
}

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Which of the nights are at the PMS. A listing keeps the first and the last night that changed since its last successful
 * push, so nights between two changes count as changed with them.
 */
export function syncRanges(listing: ListingProgress, nights: Span): SyncRange[] {
  const behind = behindSpan(listing)
  const unverified = listing.is_unverified
    ? spanOf(listing.unverified_from, listing.unverified_to)
    : undefined
  const stateOf = (night: number): RangeState => {
    if (includes(behind, night)) return listing.status === 'failed' ? 'failed' : 'pending'
    return includes(unverified, night) ? 'unverified' : 'synced'
  }
  // The state can change only at the start of a range, or after its end.
  const starts = [behind, unverified].flatMap((span) => (span ? [span.from, span.to + 1] : []))
  const inside = starts.filter((start) => start > nights.from && start <= nights.to)
  const bounds = nights.from > nights.to ? [] : [...new Set([nights.from, ...inside])].sort((a, b) => a - b)
  const ranges: { from: number; to: number; state: RangeState }[] = []
  for (const [at, from] of bounds.entries()) {
    const [to, state, last] = [(bounds[at + 1] ?? nights.to + 1) - 1, stateOf(from), ranges.at(-1)]
    if (last?.state === state) last.to = to
    else ranges.push({ from, to, state })
  }
  return ranges.map(({ from, to, state }) => ({ date_from: dateOf(from), date_to: dateOf(to), state }))
}

const includes = (span: Span | undefined, night: number) =>
  span !== undefined && night >= span.from && night <= span.to

function behindSpan(listing: ListingProgress): Span | undefined {
  if (!listing.is_behind) return undefined
  if (listing.is_whole) return { from: -Infinity, to: Infinity }
  // Only the content changed: the nights are at the PMS.
  if (listing.behind_from === null) return undefined
  return spanOf(listing.behind_from, listing.behind_to)
}

/** An omitted or infinite date is no limit. */
const spanOf = (from: string | null, to: string | null): Span => ({
  from: isDay(from) ? nightOf(from) : -Infinity,
  to: isDay(to) ? nightOf(to) : Infinity,
})

const isDay = (value: string | null): value is string => value !== null && !value.endsWith('infinity')
