import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import { internalEventTypes } from './event.ts'

/**
 * A position in the feed: after this event, or before all when it is null. Where the event stands is read again each time,
 * because a cluster that was restored and a cell to which the organization has moved count transactions from another start. An event
 * that has been deleted was older than those that are left.
 */
export interface FeedPosition {
  readonly eventId: string | null
  /** In cursors of earlier releases, instead of the event: a place of the cluster that has made the cursor. */
  readonly place?: { readonly transaction: string; readonly position: string }
}

export interface FeedPage {
  readonly events: readonly { readonly json: string }[]
  /** Where the next page begins. Never null, because more events may follow. */
  readonly next: FeedPosition
  readonly hasMore: boolean
}

export interface FeedRequest {
  readonly after: FeedPosition
  readonly limit: number
  readonly types: readonly string[] | null
  readonly waitMs: number
  /** Aborted when the client disconnects or the server closes. */
  readonly signal: AbortSignal
}

/** A search for a rare type ends after this number of events; the next page continues there. */
const maxScanned = 2_000
const pollIntervalMs = 500
/** Further requests do not wait for events. */
const maxWaiting = 200

let waitingCount = 0

/** Reads the events after a position. Without any, polls for new ones until the wait is over. */
export async function readFeed(
  scope: Scope,
  { after, limit, types, waitMs, signal }: FeedRequest,
): Promise<FeedPage> {
  const until = performance.now() + waitMs
  let page = await readPage(scope, after, limit, types)
  if (!isEmpty(page) || waitMs === 0 || waitingCount >= maxWaiting) return page
  waitingCount++
  try {
    while (isEmpty(page) && performance.now() < until && !signal.aborted) {
      await sleep(Math.min(pollIntervalMs, until - performance.now()), undefined, { signal }).catch(() => {})
      if (!signal.aborted) page = await readPage(scope, page.next, limit, types)
    }
    return page
  } finally {
    waitingCount--
  }
}

/** The position after every event that has happened so far. */
export async function findEnd(scope: Scope): Promise<FeedPosition> {
  const [last] = await rows(
    scope,
    sql<{ id: string }>`
      select id
      from events
      where org_id = ${scope.orgId}
        and only_for is null
        and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
      order by transaction_id desc, position desc
      limit 1`,
  )
  return { eventId: last?.id ?? null }
}

const isEmpty = ({ events, hasMore }: FeedPage) => events.length === 0 && !hasMore

async function readPage(
  scope: Scope,
  after: FeedPosition,
  limit: number,
  types: readonly string[] | null,
): Promise<FeedPage> {
  const maxEvents = types ? maxScanned : limit + 1
  const { events, last, scannedCount } = await scanEvents(scope, after, types, limit + 1, maxEvents)
  if (events.length > limit) {
    const shown = events.slice(0, limit)
    return { events: shown, next: { eventId: shown.at(-1)!.id }, hasMore: true }
  }
  return { events, next: last === null ? after : { eventId: last }, hasMore: scannedCount === maxEvents }
}

interface FeedRow {
  id: string | null
  json: string
  last_id: string | null
  scanned_count: number
}

/** Scans at most `maxEvents` events after a position, in an order in which no event appears later before it. */
async function scanEvents(
  scope: Scope,
  { eventId, place }: FeedPosition,
  types: readonly string[] | null,
  limit: number,
  maxEvents: number,
) {
  const found = await rows(
    scope,
    sql<FeedRow>`
      with place as materialized (
        select transaction_id, position
        from events
        where org_id = ${scope.orgId} and id = ${eventId}::uuid
        union all
        select given.transaction_id, given.position
        from (
          select cast(${place?.transaction ?? null} as xid8) as transaction_id,
            cast(${place?.position ?? null} as bigint) as position
        ) given
        where given.transaction_id < pg_snapshot_xmax(pg_current_snapshot())
          -- Events that have come from elsewhere are numbered with 0: the place was another one there.
          and not exists (
            select 1
            from events arrived
            where arrived.org_id = ${scope.orgId} and arrived.transaction_id = '0'
          )
      ),
      start as materialized (
        select
          coalesce((select transaction_id from place), '0'::xid8) as transaction_id,
          coalesce((select position from place), 0) as position
      ),
      scanned as materialized (
        select *
        from events event
        where event.org_id = ${scope.orgId}
          and event.only_for is null
          and event.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
          and (event.transaction_id, event.position) > (
            -- Under row-level security an index is not searched by the result of a coalesce.
            (select transaction_id from start),
            (select position from start)
          )
        order by event.transaction_id, event.position
        limit ${maxEvents}
      ),
      shown as (
        select
          id,
          transaction_id,
          position,
          event_json(id, org_id, account_id, type, subject_id, data, occurred_at) as json
        from scanned
        where type <> all(${internalEventTypes})
          and (${types}::text[] is null or type = any(${types}::text[]))
        order by transaction_id, position
        limit ${limit}
      ),
      last as (
        select id
        from scanned
        order by transaction_id desc, position desc
        limit 1
      )
      select shown.id, shown.json, total.scanned_count, last.id as last_id
      from (select count(*)::int as scanned_count from scanned) total
      left join last on true
      left join shown on true
      order by shown.transaction_id, shown.position`,
  )
  const [{ last_id, scanned_count }] = found as [FeedRow]
  return {
    events: found.flatMap(({ id, json }) => (id === null ? [] : [{ id, json }])),
    /** The last scanned event, shown or not. */
    last: last_id,
    scannedCount: scanned_count,
  }
}
