import { sql } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import type { EventType } from '#features/messaging/events/event.ts'
import { adminAlertKinds, type AlertKind } from './alert.ts'

export interface NewAlert {
  account_id: string | null
  kind: AlertKind
  channel_listing_id?: string | null
  channel_target_id?: string | null
  unit_id?: string | null
  message: string
  hint: string
  details?: object
  /** Records an event even if an alert about the same subject is already open, because this is another case. */
  isNewCase?: boolean
}

/**
 * The subject of alerts: some listings; a target with all its listings, or itself only; a unit at a target (null: no
 * unit); a unit without a target; some units with all that they have; or any.
 */
export type AlertSubject =
  | { listingIds: readonly string[]; targetId?: string }
  | { targetId: string; itself?: true }
  | { targetId: string; unitId: string | null }
  | { targetId: null; unitId: string }
  | { targetId?: never; unitIds: readonly string[] }
  | { targetId?: never; isAny: true }

const ofSubjects = ['channel_listing_id', 'channel_target_id', 'unit_id']
const listColumns = {
  columns: ['org_id', 'account_id', 'kind', 'status', ...ofSubjects],
  findable: ofSubjects,
}
/** Resolved alerts are kept, so few of all are open. Their index has this condition. */
const openColumns = {
  ...listColumns,
  findable: ['status', ...listColumns.findable],
  conditions: { status: sql`alert.resolved_at is null` },
}

/** Kinds that the caller may not see. */
type HiddenKinds = readonly AlertKind[]

export function listAlerts(
  scope: Scope,
  hidden: HiddenKinds,
  { standalone, ...filter }: { standalone?: boolean; status?: readonly string[] },
  page: PageRequest,
) {
  const standaloneOnly = standalone === undefined ? sql`` : sql`and (${isStandalone}) = ${standalone}`
  return rows(
    scope,
    buildPageQuery(
      'alert',
      filter,
      filter.status?.every((status) => status === 'open') ? openColumns : listColumns,
      page,
      (where) => sql<ListedRecord>`
        select alert.id, alert.json, ${sortColumn('alert', page)} as sort_value
        from alerts alert
        where alert.org_id = ${scope.orgId} and alert.kind <> all(${hidden}) ${standaloneOnly}${where}`,
    ),
  )
}

/** A condition: the row `alert` is about neither a booking conflict nor a failing listing, which have lists of their own. */
export const isStandalone = sql<boolean>`
  alert.kind <> 'booking.conflict'
  and (
    alert.kind not in ('sync.failed', 'listing.stale')
    or not exists (
      select 1
      from listing_syncs sync
      where sync.org_id = alert.org_id
        and sync.channel_listing_id = alert.channel_listing_id
        and sync.error_code is not null
        and sync.status <> 'completed'
    )
  )`

export async function findAlert(scope: Scope, hidden: HiddenKinds, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<StoredRecord>`select json, version from alerts
      where org_id = ${scope.orgId} and id = ${id} and kind <> all(${hidden})`,
  )
  if (!row) throw new NotFound('alert', id)
  return row
}

/**
 * Raises alerts with one statement. An alert that is already open is counted and gets the latest message; several about
 * the same subject become one. Rows are written in one order, so that two callers cannot deadlock. A new alert causes an
 * event; a repeated one does not, unless `isNewCase` is set.
 */
export async function raiseAlerts(transaction: Transaction, alerts: readonly NewAlert[]): Promise<void> {
  if (alerts.length === 0) return
  const subject = sql`kind, channel_listing_id, channel_target_id,
    (case when channel_listing_id is null then unit_id end)`
  const raised = await rows(
    transaction,
    sql<RaisedAlert>`
      insert into alerts as alert (org_id, account_id, kind, channel_listing_id, channel_target_id, unit_id, message,
        hint, details, times)
      select distinct on (${subject}) ${transaction.orgId}, account_id, kind, channel_listing_id, channel_target_id,
        unit_id, left(message, 1000), left(hint, 1000), coalesce(details, '{}'),
        count(*) over (partition by ${subject})
      from rows from (
          jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) as (
            account_id uuid, kind text, channel_listing_id uuid, channel_target_id uuid, unit_id uuid, message text,
            hint text, details jsonb))
        with ordinality as given (account_id, kind, channel_listing_id, channel_target_id, unit_id, message, hint,
          details, place)
      order by ${subject}, place desc
      on conflict (org_id, ${subject}) where resolved_at is null do update
      set account_id = excluded.account_id,
        unit_id = excluded.unit_id,
        message = excluded.message,
        hint = excluded.hint,
        details = excluded.details,
        times = alert.times + excluded.times,
        last_at = clock_timestamp(),
        version = alert.version + 1
      returning id, account_id, kind, channel_target_id, unit_id, json, xmax = 0 as is_new`,
  )
  notifyChanges(transaction, { alert: raised.map(({ id }) => id) })
  await recordEvents(
    transaction,
    raised.flatMap((alert) => {
      const { id, account_id, kind, json } = alert
      return isEventKind(kind) &&
        (alert.is_new || alerts.some((given) => given.isNewCase && hasSubjectOf(given, alert)))
        ? [{ type: kind, accountId: account_id, subjectId: id, data: { alert: JSON.parse(json) as object } }]
        : []
    }),
  )
}

const hasSubjectOf = (alert: NewAlert, { kind, channel_target_id, unit_id }: RaisedAlert) =>
  alert.kind === kind &&
  (alert.channel_target_id ?? null) === channel_target_id &&
  (alert.unit_id ?? null) === unit_id

interface RaisedAlert {
  id: string
  account_id: string | null
  kind: AlertKind
  channel_target_id: string | null
  unit_id: string | null
  json: string
  is_new: boolean
}

/** Kinds that cause events. `drift.found` does not, because differences at the PMS are repaired at once. */
const eventKinds = [
  'sync.failed',
  'listing.stale',
  'target.error',
  'booking.conflict',
  'calendar_feed.held',
  'calendar_feed.error',
  'payment.disputed',
  'refund.failed',
  'member.identity_conflict',
] as const
const isEventKind = (kind: AlertKind): kind is AlertKind & EventType =>
  (eventKinds as readonly string[]).includes(kind)

/** Resolves open alerts. Each that began with an event ends with one. */
export async function resolveAlerts(
  transaction: Transaction,
  kinds: AlertKind | readonly AlertKind[],
  subject: AlertSubject,
): Promise<void> {
  const listingIds = 'listingIds' in subject ? subject.listingIds : null
  const unitIds = 'unitIds' in subject ? subject.unitIds : null
  const targetId = subject.targetId ?? null
  const itself = 'itself' in subject
  const noTarget = subject.targetId === null ? sql`and channel_target_id is null` : sql``
  const unit = 'unitId' in subject ? sql`and unit_id is not distinct from ${subject.unitId}::uuid` : sql``
  const resolved = await rows(
    transaction,
    sql<ResolvedAlert>`update alerts set resolved_at = clock_timestamp(), version = version + 1 where id in (
      select id from alerts
      where org_id = ${transaction.orgId} and resolved_at is null and kind = any(${[kinds].flat()}::text[])
        and (${listingIds}::uuid[] is null or channel_listing_id = any(${listingIds}::uuid[]))
        and (${unitIds}::uuid[] is null or unit_id = any(${unitIds}::uuid[]))
        and (${targetId}::uuid is null or channel_target_id = ${targetId}::uuid)
        and (not ${itself} or channel_listing_id is null and unit_id is null) ${noTarget} ${unit}
      order by kind, channel_listing_id, channel_target_id for update)
      returning id, account_id, kind, json`,
  )
  if (resolved.length === 0) return
  notifyChanges(transaction, { alert: resolved.map(({ id }) => id) })
  await recordEvents(
    transaction,
    resolved.flatMap(({ id, account_id, kind, json }) =>
      isEventKind(kind) && !adminAlertKinds.includes(kind)
        ? [
            {
              type: 'alert.resolved',
              accountId: account_id,
              subjectId: id,
              data: { alert: JSON.parse(json) as object },
            },
          ]
        : [],
    ),
  )
}

type ResolvedAlert = Pick<RaisedAlert, 'id' | 'account_id' | 'kind' | 'json'>
