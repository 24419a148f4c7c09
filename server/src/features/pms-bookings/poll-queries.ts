import { sql } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'

/** How far the PMS was listened to. */
export interface Poll {
  /** The time of the database at which this poll began. */
  readonly asked_at: string
  readonly heard_until: Date | null
  /** Where it tells its notices, as far as we gave it an address in the last day. */
  readonly told_at: string | null
}

/** One poll of a target at a time is enough: nothing when another began within the last seconds. */
export const takePoll = (scope: Scope, targetId: string): Promise<Poll | undefined> =>
  first(
    scope,
    sql<{ asked_at: string; heard_until: string | null; told_at: string | null }>`update target_syncs
      set bookings_polled_at = clock_timestamp()
      where org_id = ${scope.orgId} and channel_target_id = ${targetId}
        and (bookings_polled_at is null or bookings_polled_at < now() - interval '5 seconds')
      returning clock_timestamp()::text as asked_at, iso(bookings_heard_until) as heard_until,
        case when bookings_told_since > now() - interval '1 day' then bookings_told_at end as told_at`,
  ).then((row) => row && { ...row, heard_until: row.heard_until === null ? null : new Date(row.heard_until) })

export const keepHeardUntil = (scope: Scope, targetId: string, time: string) =>
  rows(
    scope,
    sql`update target_syncs set bookings_heard_until = greatest(bookings_heard_until, ${time}::timestamptz)
      where org_id = ${scope.orgId} and channel_target_id = ${targetId}`,
  )

export const keepTold = (scope: Scope, targetId: string, place: string) =>
  rows(
    scope,
    sql`update target_syncs set bookings_told_at = ${place}, bookings_told_since = clock_timestamp()
      where org_id = ${scope.orgId} and channel_target_id = ${targetId}`,
  )
