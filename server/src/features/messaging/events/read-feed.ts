import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { internalEventTypes } from './event.ts'

/** A position in the feed: after the event with this transaction and position. */
interface FeedPosition {
  readonly transaction: string
  readonly position: string
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
  const until = Date.now() + waitMs
  let page = await readPage(scope, after, limit, types)
  if (!isEmpty(page) || waitMs === 0 || waitingCount >= maxWaiting) return page
  waitingCount++
  try {
    while (isEmpty(page) && Date.now() < until && !signal.aborted) {
      await sleep(Math.min(pollIntervalMs, until - Date.now()), undefined, { signal }).catch(() => {})
      if (!signal.aborted) page = await readPage(scope, page.next, limit, types)
    }
    return page
  } finally {
    waitingCount--
  }
}

/** The position after every event that has happened so far. */
export async function findEnd(scope: Scope): Promise<FeedPosition> {
  const [end] = await rows(
    scope,
    sql<FeedPosition>`
      select
        (cast(pg_snapshot_xmin(pg_current_snapshot())::text as bigint) - 1)::text as transaction,
        '9223372036854775807'::text as position`,
  )
  return end!
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
    return { events: shown, next: shown.at(-1)!, hasMore: true }
  }
  return { events, next: last ?? after, hasMore: scannedCount === maxEvents }
}

interface FeedRow {
  transaction: string | null
  position: string
  json: string
  last_transaction: string | null
  last_position: string
  scanned_count: number
}

/**
 * Scans at most `maxEvents` events after a position, in an order in which no event appears later before it. A position
 * with a transaction id that this cluster has not reached comes from another cluster, whose dump was restored here: it
 * is before all events.
 */
async function scanEvents(
  scope: Scope,
  after: FeedPosition,
  types: readonly string[] | null,
  limit: number,
  maxEvents: number,
) {
  const afterTransaction = sql`cast(${after.transaction} as xid8)`
  const found = await rows(
    scope,
    sql<FeedRow>`
      with scanned as materialized (
        select *
        from events event
        where event.org_id = ${scope.orgId}
          and event.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
          and (event.transaction_id, event.position) > (
            case
              when ${afterTransaction} >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8
              else ${afterTransaction}
            end,
            cast(${after.position} as bigint)
          )
        order by event.transaction_id, event.position
        limit ${maxEvents}
      ),
      shown as (
        select
          transaction_id,
          position,
          event_json(id, org_id, account_id, type, subject_id, data, occurred_at) as json
        from scanned
        where only_for is null
          and type <> all(${internalEventTypes})
          and (${types}::text[] is null or type = any(${types}::text[]))
        order by transaction_id, position
        limit ${limit}
      ),
      last as (
        select transaction_id, position
        from scanned
        order by transaction_id desc, position desc
        limit 1
      )
      select
        shown.transaction_id::text as transaction,
        shown.position::text as position,
        shown.json,
        total.scanned_count,
        last.transaction_id::text as last_transaction,
        last.position::text as last_position
      from (select count(*)::int as scanned_count from scanned) total
      left join last on true
      left join shown on true
      order by shown.transaction_id, shown.position`,
  )
  const [{ last_transaction, last_position, scanned_count }] = found as [FeedRow]
  return {
    events: found.flatMap(({ transaction, position, json }) =>
      transaction === null ? [] : [{ transaction, position, json }],
    ),
    /** The last scanned event, shown or not. */
    last: last_transaction === null ? null : { transaction: last_transaction, position: last_position },
    scannedCount: scanned_count,
  }
}
