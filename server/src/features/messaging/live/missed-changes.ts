import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import {
  changesOf,
  kindsWithoutEvents,
  mergeChanges,
  type ChangedRecords,
} from '#features/messaging/events/changed-records.ts'
import type { EventType } from '#features/messaging/events/event.ts'

/** The start of a stream: what its client has missed, null when it must read everything again. */
interface StreamStart {
  /** Identifies the start of PostgreSQL since which places mean what they mean now. */
  readonly serverStart: string
  readonly place: string
  readonly missed: ChangedRecords | null
}

/** What a client has received: a place, and the start of PostgreSQL that it belongs to. */
export interface LastReceived {
  readonly serverStart: string
  readonly place: string
}

/** With more events than this everything is read again. */
const maxEvents = 2_000

interface MissedRow {
  server_start: string
  place: string
  is_known: boolean
  type: EventType | null
  subject_id: string | null
}

/**
 * Finds what was written since a place: the id of the oldest transaction that was open when the client received it. What
 * the client has not received has this id or a higher one, so some changes are sent twice and none is left out. A place
 * from before the last start of PostgreSQL is unknown: the organization may have moved to this cluster, or the database may
 * have been restored to an earlier moment, after which the ids are used again.
 */
export async function findMissedChanges(scope: Scope, last: LastReceived | null): Promise<StreamStart> {
  const found = await rows(
    scope,
    sql<MissedRow>`
      with missed as (
        select type, subject_id
        from events
        where org_id = ${scope.orgId}
          and transaction_id >= cast(${last?.place ?? null} as xid8)
          and only_for is null
        order by transaction_id, position
        limit ${maxEvents + 1})
      select server.start as server_start,
        pg_snapshot_xmin(pg_current_snapshot())::text as place,
        coalesce(
          server.start = ${last?.serverStart ?? null}
            and cast(${last?.place ?? null} as xid8) <= pg_snapshot_xmax(pg_current_snapshot()),
          false) as is_known,
        missed.type,
        missed.subject_id
      from (select (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text as start) server
      left join missed on true`,
  )
  const { server_start: serverStart, place, is_known } = found[0]!
  if (!is_known || found.length > maxEvents) return { serverStart, place, missed: null }
  const events = found.flatMap(({ type, subject_id }) =>
    type === null ? [] : [{ type, accountId: null, subjectId: subject_id, data: {} }],
  )
  const unknown = Object.fromEntries(kindsWithoutEvents.map((kind) => [kind, null]))
  return { serverStart, place, missed: mergeChanges([unknown, changesOf(events)]) }
}
