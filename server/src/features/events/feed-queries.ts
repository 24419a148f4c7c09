import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { internalEventTypes } from './event.ts'

/** A place in the feed: behind the event with this transaction and position. */
export interface Place {
  readonly transaction: string
  readonly position: string
}

export interface Read {
  /** The events that are asked for, oldest first. */
  readonly events: readonly (Place & { readonly json: string })[]
  /** The last event that was looked at, asked for or not; null when there is none. */
  readonly last: Place | null
  readonly looked: number
}

interface Row {
  transaction: string | null
  position: string
  json: string
  last_transaction: string | null
  last_position: string
  looked: number
}

/**
 * Events behind a place, in an order in which nothing appears later before it. At most `scan` are looked at, so that
 * a search for a rare type ends. A place from another count of transactions (the cluster was filled from a dump) is
 * before all of this one.
 */
export async function readPlaces(
  scope: Scope,
  after: Place,
  { types, limit, scan }: { types: readonly string[] | null; limit: number; scan: number },
): Promise<Read> {
  const began = sql`cast(${after.transaction} as xid8)`
  const found = await rows(
    scope,
    sql<Row>`with looked as materialized (
        select * from events e where e.org_id = ${scope.orgId}
          and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
          and (e.transaction_id, e.position) > (case when ${began} >= pg_snapshot_xmax(pg_current_snapshot())
            then '0'::xid8 else ${began} end, cast(${after.position} as bigint))
        order by e.transaction_id, e.position limit ${scan}),
      shown as (
        select transaction_id, position, event_json(id, org_id, account_id, type, subject_id, data, occurred_at) as json
        from looked where only_for is null and type <> all(${internalEventTypes}) and (${types}::text[] is null or type = any(${types}::text[]))
        order by transaction_id, position limit ${limit})
      select s.transaction_id::text as transaction, s.position::text as position, s.json, c.looked,
        l.transaction_id::text as last_transaction, l.position::text as last_position
      from (select count(*)::int as looked from looked) c
        left join (select transaction_id, position from looked order by transaction_id desc, position desc limit 1) l on true
        left join shown s on true
      order by s.transaction_id, s.position`,
  )
  const [{ last_transaction, last_position, looked }] = found as [Row]
  return {
    events: found.flatMap(({ transaction, position, json }) =>
      transaction === null ? [] : [{ transaction, position, json }],
    ),
    last: last_transaction === null ? null : { transaction: last_transaction, position: last_position },
    looked,
  }
}
