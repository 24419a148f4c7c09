import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { recordEvents } from '../events/record-events.ts'
import type { EventType } from '../events/event.ts'
import type { AlertKind } from './alert.ts'

export interface Raised {
  account_id: string | null
  kind: AlertKind
  channel_listing_id?: string | null
  channel_target_id?: string | null
  unit_id?: string | null
  message: string
  hint: string
  details?: object
  /** To be told also where an alert about the same is open already: it is another case. */
  isNews?: boolean
}

/**
 * Whose alerts are meant: those of some listings, or those of a target and of all that goes through it, or of it alone,
 * or of one unit at it (null: of none), or of a unit and no target, or whatever is about.
 */
export type Subject =
  | { listingIds: readonly string[]; targetId?: string }
  | { targetId: string; itself?: true }
  | { targetId: string; unitId: string | null }
  | { targetId: null; unitId: string }
  | { targetId?: never; isAny: true }

const filterColumns = [
  'org_id',
  'account_id',
  'kind',
  'status',
  'channel_listing_id',
  'channel_target_id',
  'unit_id',
]

/** Kinds that this reader is not shown. */
type Hidden = readonly AlertKind[]

export const listAlerts = (scope: Scope, hidden: Hidden, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select a.id, a.json, ${sortColumn('a', page)} as sort_value from alerts a
      where a.org_id = ${scope.orgId} and a.kind <> all(${hidden})${filters('a', filter, filterColumns)}${pageClause('a', page)}`,
  )

export async function findAlert(scope: Scope, hidden: Hidden, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<Stored>`select json, version from alerts
      where org_id = ${scope.orgId} and id = ${id} and kind <> all(${hidden})`,
  )
  if (!row) throw new NotFound('alert', id)
  return row
}

/**
 * Says what is wrong, in one statement. What is open already is counted up and says the latest; several about the
 * same in one call are one. Rows are written in one order, so that two callers never wait in a circle. What opens is
 * an event, and what is repeated is none, unless the caller knows that it is another case of the same.
 */
export async function raiseAlerts(transaction: Transaction, alerts: readonly Raised[]): Promise<void> {
  if (alerts.length === 0) return
  const subject = sql`kind, channel_listing_id, channel_target_id,
    (case when channel_listing_id is null then unit_id end)`
  const raised = await rows(
    transaction,
    sql<Opened>`insert into alerts as a (org_id, account_id, kind, channel_listing_id, channel_target_id, unit_id, message, hint,
        details, times)
      select distinct on (${subject}) ${transaction.orgId}, account_id, kind, channel_listing_id, channel_target_id, unit_id,
        left(message, 1000), left(hint, 1000), coalesce(details, '{}'), count(*) over (partition by ${subject})
      from rows from (jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) as (account_id uuid, kind text,
        channel_listing_id uuid, channel_target_id uuid, unit_id uuid, message text, hint text, details jsonb))
        with ordinality as r (account_id, kind, channel_listing_id, channel_target_id, unit_id, message, hint, details, place)
      order by ${subject}, place desc
      on conflict (org_id, ${subject}) where resolved_at is null
      do update set account_id = excluded.account_id, unit_id = excluded.unit_id, message = excluded.message,
        hint = excluded.hint, details = excluded.details, times = a.times + excluded.times, last_at = clock_timestamp(),
        version = a.version + 1
      returning id, account_id, kind, channel_target_id, unit_id, json, xmax = 0 as is_new`,
  )
  await recordEvents(
    transaction,
    raised.flatMap((one) => {
      const { id, account_id, kind, json } = one
      return isTold(kind) && (one.is_new || alerts.some((alert) => alert.isNews && isAbout(alert, one)))
        ? [{ type: kind, accountId: account_id, subjectId: id, data: { alert: JSON.parse(json) as object } }]
        : []
    }),
  )
}

const isAbout = (alert: Raised, { kind, channel_target_id, unit_id }: Opened) =>
  alert.kind === kind &&
  (alert.channel_target_id ?? null) === channel_target_id &&
  (alert.unit_id ?? null) === unit_id

interface Opened {
  id: string
  account_id: string | null
  kind: AlertKind
  channel_target_id: string | null
  unit_id: string | null
  json: string
  is_new: boolean
}

/** What is wrong is told to others, but not that a look at the PMS found a difference: that is mended at once. */
const toldKinds = [
  'sync.failed',
  'listing.stale',
  'target.error',
  'booking.conflict',
  'calendar_feed.held',
  'member.identity_conflict',
] as const
const isTold = (kind: AlertKind): kind is AlertKind & EventType =>
  (toldKinds as readonly string[]).includes(kind)

/** Closes what is right again; nothing happens to what is not open. */
export async function resolveAlerts(
  transaction: Transaction,
  kinds: AlertKind | readonly AlertKind[],
  subject: Subject,
): Promise<void> {
  const listingIds = 'listingIds' in subject ? subject.listingIds : null
  const targetId = subject.targetId ?? null
  const itself = 'itself' in subject
  const noTarget = subject.targetId === null ? sql`and channel_target_id is null` : sql``
  const unit = 'unitId' in subject ? sql`and unit_id is not distinct from ${subject.unitId}::uuid` : sql``
  await rows(
    transaction,
    sql`update alerts set resolved_at = clock_timestamp(), version = version + 1 where id in (
      select id from alerts
      where org_id = ${transaction.orgId} and resolved_at is null and kind = any(${[kinds].flat()}::text[])
        and (${listingIds}::uuid[] is null or channel_listing_id = any(${listingIds}::uuid[]))
        and (${targetId}::uuid is null or channel_target_id = ${targetId}::uuid)
        and (not ${itself} or channel_listing_id is null and unit_id is null) ${noTarget} ${unit}
      order by kind, channel_listing_id, channel_target_id for update)`,
  )
}
