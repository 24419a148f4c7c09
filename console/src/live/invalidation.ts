import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query'

/** The kinds of records that the stream names, and the paths of the API whose answers show them. */
const pathsByKind: Record<string, readonly string[]> = {
  alert: ['alerts', 'today'],
  booking: ['bookings', 'today'],
  booking_conflict: ['booking-conflicts', 'today', 'calendar'],
  calendar: ['calendar', 'calendar-changes', 'availability'],
  calendar_feed: ['calendar-feeds'],
  channel_listing: ['channel-listings', 'calendar', 'sync/failures', 'sync/targets', 'today'],
  channel_target: ['channel-targets', 'channel-listings', 'sync/targets', 'today'],
  charge: ['charges'],
  /** Also which bookings are unpaid, and what goes back when one is cancelled. */
  payment_intent: ['payment-intents', 'payment-totals', 'bookings', 'today'],
  quote: ['quotes'],
  rate_plan: ['rate-plans', 'calendar'],
  refund: ['refunds', 'payment-intents', 'payment-totals', 'bookings', 'today'],
  sales_stop: ['sales-stops', 'calendar', 'today'],
  season: ['seasons'],
  /** Its name and address are shown with its units, and the times of its bookings follow its time zone. */
  space: ['spaces', 'units', 'calendar', 'calendar-units', 'bookings'],
  /** The state of a listing, which has an event of its own. */
  sync_status: ['today', 'sync/failures', 'sales-stops'],
  unit: ['units', 'channel-listings', 'calendar', 'calendar-units', 'today'],
  webhook_endpoint: ['webhook-endpoints'],
}

/** What a message of the stream names: ids, or null for any record of the kind. */
export type Changes = Record<string, string[] | null>

/** Changes that come soon after each other are read together, and a row of them at this interval. */
const batchMs = 400
const minIntervalMs = 2_000

/** A list is read again at most once in this time for each of its pages: 20,000 units have 200. */
const minIntervalPerPageMs = 1_000

/**
 * Collects changes, and reads the queries that show them again. A query is found by its path: the first member of its key
 * is `/api/v1/bookings`, as `useRecords` has it, or `bookings`. Queries that no screen shows are read when they are shown
 * the next time.
 */
export const collectInvalidations = (queries: QueryClient, onUnits: (ids: string[]) => void) => {
  let kinds = new Set<string>()
  let units: string[] | null = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushedAt = -minIntervalMs
  const waiting = new Set<Query>()

  /** A long list is read to its end, and what changes meanwhile later: its pages take many requests. */
  const readLater = async (query: Query) => {
    if (waiting.has(query)) return
    waiting.add(query)
    let leftMs = 0
    do {
      await new Promise((resolve) => setTimeout(resolve, leftMs))
      await query.promise?.catch(() => {})
      leftMs = query.state.dataUpdatedAt + pageCount(query) * minIntervalPerPageMs - Date.now()
    } while (leftMs > 0)
    waiting.delete(query)
    invalidate(queries, { queryKey: query.queryKey, exact: true })
  }

  const flush = () => {
    timer = undefined
    flushedAt = performance.now()
    const paths = new Set([...kinds].flatMap((kind) => pathsByKind[kind] ?? []))
    const isEachKnown = units !== null
    if (units && units.length > 0) onUnits(units)
    kinds = new Set()
    units = []
    const isChanged = (query: Query) => paths.has(pathOf(query)) && !(isEachKnown && isWholePortfolio(query))
    invalidate(queries, { predicate: (query) => isChanged(query) && !isLong(query) })
    for (const query of queries.getQueryCache().findAll({ predicate: isChanged }))
      if (isLong(query)) void readLater(query)
  }

  return (changes: Changes) => {
    for (const [kind, ids] of Object.entries(changes)) {
      kinds.add(kind)
      if (kind === 'unit') units = ids && units && [...new Set([...units, ...ids])]
    }
    timer ??= setTimeout(flush, Math.max(batchMs, flushedAt + minIntervalMs - performance.now()))
  }
}

/** Reads queries again that have changed. The first read of one is not ended for that, so another one follows it. */
export const invalidate = (queries: QueryClient, filters: QueryFilters) => {
  const firstReads = queries
    .getQueryCache()
    .findAll({ ...filters, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined)
  void queries.invalidateQueries(filters)
  for (const { promise, queryKey } of firstReads)
    void promise?.catch(() => {}).then(() => queries.invalidateQueries({ queryKey, exact: true }))
}

/** The list of all units: `onUnits` reads those that changed. */
const isWholePortfolio = ({ queryKey }: Query) => queryKey.length === 1 && queryKey[0] === 'units'

const recordsPerPage = 100

/** Of a list that is read page by page, or as a whole. */
const pageCount = ({ state: { data } }: Query): number => {
  if (Array.isArray(data)) return Math.ceil(data.length / recordsPerPage)
  return data && typeof data === 'object' && 'pages' in data && Array.isArray(data.pages)
    ? data.pages.length
    : 1
}

const isLong = (query: Query) => pageCount(query) * minIntervalPerPageMs > minIntervalMs

const pathOf = ({ queryKey }: Query): string => {
  const [first] = queryKey
  if (typeof first !== 'string') return ''
  const path = first.replace(/^\/api\/v1\//, '')
  return path
    .split('/')
    .slice(0, path.startsWith('sync/') ? 2 : 1)
    .join('/')
}

/** Reads the shown query again that was read longest ago; the sync states have their own interval. */
export const refetchStalest = (queries: QueryClient) => {
  const [stalest] = queries
    .getQueryCache()
    .findAll({ type: 'active', fetchStatus: 'idle' })
    .filter(({ queryKey: [first] }) => first !== 'session' && first !== 'sync-statuses')
    .sort((one, other) => one.state.dataUpdatedAt - other.state.dataUpdatedAt)
  if (stalest) void queries.invalidateQueries({ queryKey: stalest.queryKey, exact: true })
}
