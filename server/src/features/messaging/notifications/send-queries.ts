import { sql } from '#db/sql.ts'
import { first, type Scope, type Transaction } from '#db/scope.ts'
import { maxAttempts, type Audience, type Channel, type NotificationKind } from './notification.ts'
import type { TemplateData } from './template.ts'

/** A notification that is sent now. */
export interface ClaimedNotification {
  id: string
  kind: NotificationKind | 'test'
  channel: Channel
  audience: Audience
  recipient: string
  locale: string
  data: TemplateData
  attempts: number
  created_at: string
}

/**
 * Claims a notification for one attempt, or skips it when a message about a later event of the same booking was sent to
 * the same audience in the same way.
 * Returns nothing when it is done, or another worker may still be sending it.
 */
export const claimNotification = (scope: Scope, id: string, leaseMs: number) =>
  first(
    scope,
    sql<ClaimedNotification>`
      with due as (
        select
          id,
          exists (
            select 1
            from notifications later
            where later.org_id = notification.org_id
              and later.subject_id = notification.subject_id
              and (later.audience, later.channel) = (notification.audience, notification.channel)
              and later.event_position > notification.event_position
              and later.status = 'sent'
          ) as is_superseded
        from notifications notification
        where org_id = ${scope.orgId}
          and id = ${id}
          and status = 'queued'
          and attempts < ${maxAttempts}
          and (claimed_until is null or claimed_until <= clock_timestamp())
        for update
      ),
      skipped as (
        update notifications notification
        set
          status = 'skipped',
          error_code = 'superseded',
          error_message = 'A message about a later change of the booking was sent before.',
          next_attempt_at = null,
          claimed_until = null,
          version = version + 1,
          updated_at = clock_timestamp()
        from due
        where notification.org_id = ${scope.orgId} and notification.id = due.id and due.is_superseded
      )
      update notifications notification
      set
        attempts = attempts + 1,
        next_attempt_at = null,
        claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}),
        version = version + 1,
        updated_at = clock_timestamp()
      from due
      where notification.org_id = ${scope.orgId} and notification.id = due.id and not due.is_superseded
      returning notification.id, kind, channel, audience, recipient, locale, story as data, attempts, created_at`,
  )

/** Until when another worker has claimed the notification, and how many attempts were made. */
export const findLease = (scope: Scope, id: string) =>
  first(
    scope,
    sql<{ claimed_until: string | null; is_over: boolean; attempts: number }>`
      select claimed_until, coalesce(claimed_until <= clock_timestamp(), true) as is_over, attempts
      from notifications
      where org_id = ${scope.orgId} and id = ${id} and status = 'queued'`,
  )

export interface SendResult {
  status: 'sent' | 'queued' | 'failed'
  providerId?: string
  code?: string
  message?: string
  retryInMs?: number
}

/**
 * Saves the result of an attempt. Undefined when it failed and another worker has begun the next one, because this worker
 * was stopped for longer than its lease: that attempt goes on.
 */
export const saveSendResult = (
  transaction: Transaction,
  { id, attempts }: Pick<ClaimedNotification, 'id' | 'attempts'>,
  result: SendResult,
) =>
  first(
    transaction,
    sql<{ id: string }>`
      update notifications
      set
        status = ${result.status},
        claimed_until = null,
        provider_id = ${result.providerId ?? null},
        error_code = ${result.code ?? null},
        error_message = ${result.message ?? null},
        next_attempt_at = clock_timestamp() + make_interval(secs => ${result.retryInMs ?? null}::float8 / 1000),
        sent_at = case when ${result.status} = 'sent' then clock_timestamp() end,
        version = version + 1,
        updated_at = clock_timestamp()
      where org_id = ${transaction.orgId}
        and id = ${id}
        and status = 'queued'
        and (attempts = ${attempts} or ${result.status} = 'sent')
      returning id`,
  )
