import { sql } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, rareValues, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { type Audience, type Channel, type EventRow, type NotificationKind } from './notification.ts'
import type { TemplateData } from './template.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'event_id', 'kind', 'channel', 'audience', 'status', 'recipient'],
  findable: ['event_id'],
  usual: { status: { values: ['sent'], others: sql`notification.status <> 'sent'` } },
  lookups: rareValues('notifications', ['account_id', 'kind', 'channel', 'audience']),
}

export const listNotifications = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'notification',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select notification.id, notification.json, ${sortColumn('notification', page)} as sort_value
        from notifications notification
        where notification.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findNotification(scope: Scope, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<StoredRecord>`select json, version from notifications where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('notification', id)
  return row
}

export interface NewNotification {
  account_id: string | null
  event_id: string | null
  event_position: string | null
  subject_id: string | null
  kind: NotificationKind | 'test'
  channel: Channel
  audience: Audience
  recipient: string
  locale: string
  subject: string
  data: TemplateData
  /** Why it cannot be sent; null when it is to be sent. */
  skipped: SkipReason | null
}

export interface SkipReason {
  readonly code: 'invalid_address' | 'not_configured'
  readonly message: string
}

/** Inserts the notifications that do not exist yet. Returns the ids of those that are to be sent. */
export const insertNotifications = (transaction: Transaction, notifications: readonly NewNotification[]) =>
  rows(
    transaction,
    sql<{ id: string }>`
      with inserted as (
        insert into notifications (
          org_id, account_id, event_id, event_position, subject_id, kind, channel, audience, recipient, locale,
          subject, story, status, error_code, error_message
        )
        select
          ${transaction.orgId}, account_id, event_id, event_position, subject_id, kind, channel, audience,
          left(regexp_replace(recipient, '[[:cntrl:]]', '?', 'g'), 254),
          locale, subject, data,
          case when skipped is null then 'queued' else 'skipped' end,
          skipped ->> 'code',
          skipped ->> 'message'
        from jsonb_to_recordset(${JSON.stringify(notifications)}::jsonb) as notification (
          account_id uuid, event_id uuid, event_position bigint, subject_id uuid, kind text, channel text,
          audience text, recipient text, locale text, subject text, data jsonb, skipped jsonb
        )
        on conflict (org_id, event_id, kind, channel, recipient) where event_id is not null do nothing
        returning id, status
      )
      select id from inserted where status = 'queued'`,
  )

/**
 * Whether a later event of the same booking has caused a notification. Locks the notifications of the booking until the
 * commit.
 */
export async function hasLaterNotification(transaction: Transaction, subjectId: string, position: string) {
  await rows(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended(${`notify ${transaction.orgId} ${subjectId}`}, 0))`,
  )
  const later = await first(
    transaction,
    sql<{ id: string }>`
      select id
      from notifications
      where org_id = ${transaction.orgId}
        and subject_id = ${subjectId}
        and event_position > ${position}::bigint
        and status <> 'skipped'
      limit 1`,
  )
  return later !== undefined
}

/** The test e-mails of the last hour, and when the first of them is an hour old. Locked, so that concurrent requests wait. */
export async function countRecentTests(
  transaction: Transaction,
): Promise<{ count: number; retry_at: string | null }> {
  await rows(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended(${`test mail ${transaction.orgId}`}, 0))`,
  )
  const row = await first(
    transaction,
    sql<{ count: number; retry_at: string | null }>`
      select count(*)::int as count, min(created_at) + interval '1 hour' as retry_at
      from notifications
      where org_id = ${transaction.orgId}
        and kind = 'test'
        and created_at > clock_timestamp() - interval '1 hour'
        and story ->> 'uncounted' is null`,
  )
  return row!
}

/** Locked until the commit, so that an erasure of the guest waits, and then finds the notifications. */
export const findEvent = (scope: Scope, id: string) =>
  first(
    scope,
    sql<EventRow>`
      select type, subject_id, account_id, position::text, data
      from events
      where org_id = ${scope.orgId} and id = ${id}
      for share`,
  )
