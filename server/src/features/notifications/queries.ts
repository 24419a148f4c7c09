import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { mostAttempts, type Audience, type Channel, type NotificationKind } from './notification.ts'
import type { Story } from './stories.ts'

const filterColumns = [
  'org_id',
  'account_id',
  'event_id',
  'kind',
  'channel',
  'audience',
  'status',
  'recipient',
]

export const listNotifications = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select n.id, n.json, ${sortColumn('n', page)} as sort_value from notifications n
      where n.org_id = ${scope.orgId}${filters('n', filter, filterColumns)}${pageClause('n', page)}`,
  )

export async function findNotification(scope: Scope, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<Stored>`select json, version from notifications where org_id = ${scope.orgId} and id = ${id}`,
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
  story: Story
  /** Why nothing can deliver it; null when it is to be sent. */
  skipped: SkipReason | null
}

export interface SkipReason {
  readonly code: 'invalid_address' | 'not_configured'
  readonly message: string
}

/** Writes what is not written yet; answers with the ids of what is new and to be sent. */
export const insertNotifications = (transaction: Transaction, planned: readonly NewNotification[]) =>
  rows(
    transaction,
    sql<{ id: string }>`with written as (
      insert into notifications (org_id, account_id, event_id, event_position, subject_id, kind, channel,
        audience, recipient, locale, subject, story, status, error_code, error_message)
      select ${transaction.orgId}, account_id, event_id, event_position, subject_id, kind, channel, audience,
        left(regexp_replace(recipient, '[[:cntrl:]]', '?', 'g'), 254), locale, subject, story,
        case when skipped is null then 'queued' else 'skipped' end, skipped ->> 'code', skipped ->> 'message'
      from jsonb_to_recordset(${JSON.stringify(planned)}::jsonb) as n (account_id uuid, event_id uuid,
        event_position bigint, subject_id uuid, kind text, channel text, audience text, recipient text, locale text,
        subject text, story jsonb, skipped jsonb)
      on conflict (org_id, event_id, kind, channel, recipient) where event_id is not null do nothing
      returning id, status)
      select id from written where status = 'queued'`,
  )

/** Whether something later was told of the same booking. Whoever asks has the booking's turn until the commit. */
export async function wasOvertaken(transaction: Transaction, subjectId: string, position: string) {
  await rows(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended(${`notify ${transaction.orgId} ${subjectId}`}, 0))`,
  )
  const later = await first(
    transaction,
    sql<{
      id: string
    }>`select id from notifications where org_id = ${transaction.orgId} and subject_id = ${subjectId}
      and event_position > ${position}::bigint and status <> 'skipped' limit 1`,
  )
  return later !== undefined
}

/** Test mails of the last hour, and when the first of them leaves that hour. One asks at a time. */
export async function testsOfTheHour(
  transaction: Transaction,
): Promise<{ count: number; eases_at: string | null }> {
  await rows(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended(${`test mail ${transaction.orgId}`}, 0))`,
  )
  const row = await first(
    transaction,
    sql<{ count: number; eases_at: string | null }>`select count(*)::int as count,
        min(created_at) + interval '1 hour' as eases_at
      from notifications
      where org_id = ${transaction.orgId} and kind = 'test' and created_at > clock_timestamp() - interval '1 hour'
        and story->>'uncounted' is null`,
  )
  return row!
}

export interface Claimed {
  id: string
  kind: NotificationKind | 'test'
  channel: Channel
  audience: Audience
  recipient: string
  locale: string
  story: Story
  attempts: number
  created_at: string
}

/** Takes a message for one attempt. Null when it is settled, or another worker may still be sending it. */
export const claimNotification = (scope: Scope, id: string, leaseMs: number) =>
  first(
    scope,
    sql<Claimed>`update notifications set attempts = attempts + 1, next_attempt_at = null, version = version + 1,
        claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}), updated_at = clock_timestamp()
      where org_id = ${scope.orgId} and id = ${id} and status = 'queued' and attempts < ${mostAttempts}
        and (claimed_until is null or claimed_until <= clock_timestamp())
      returning id, kind, channel, audience, recipient, locale, story, attempts, created_at`,
  )

/** Why a message could not be taken: until when another worker has it, and whether there is any attempt left. */
export const heldNotification = (scope: Scope, id: string) =>
  first(
    scope,
    sql<{ claimed_until: string | null; is_over: boolean; attempts: number }>`select claimed_until,
        coalesce(claimed_until <= clock_timestamp(), true) as is_over, attempts from notifications
      where org_id = ${scope.orgId} and id = ${id} and status = 'queued'`,
  )

export interface Outcome {
  status: 'sent' | 'queued' | 'failed'
  providerId?: string
  code?: string
  message?: string
  retryInMs?: number
}

export const settleNotification = (transaction: Transaction, id: string, outcome: Outcome) =>
  rows(
    transaction,
    sql`update notifications set status = ${outcome.status}, claimed_until = null, version = version + 1,
        provider_id = ${outcome.providerId ?? null}, error_code = ${outcome.code ?? null},
        error_message = ${outcome.message ?? null}, 
        next_attempt_at = clock_timestamp() + make_interval(secs => ${outcome.retryInMs ?? null}::float8 / 1000),
        sent_at = case when ${outcome.status} = 'sent' then clock_timestamp() end, updated_at = clock_timestamp()
      where org_id = ${transaction.orgId} and id = ${id} and status = 'queued'`,
  )
