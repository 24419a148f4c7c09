import { sql, type Fragment } from '#db/sql.ts'
import { first, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { maxEntries, type TimelineAccess } from './timeline.ts'

interface Entry {
  readonly [member: string]: Fragment
}

/** A push follows a change within this time, or belongs to another one. */
const pushWindow = sql`interval '1 hour'`

/** All that happened to a booking, in one statement. @throws NotFound */
export async function readTimeline(scope: Scope, id: string, access: TimelineAccess): Promise<unknown[]> {
  const { orgId } = scope
  const parts = [
    quoteEntry,
    ...(access.sync ? [changeEntries, pushEntries(orgId)] : []),
    ...(access.payments ? [paymentEntries, refundEntries] : []),
    ...(access.notifications ? [notificationEntries] : []),
  ]
  const row = await first(
    scope,
    sql<{ entries: unknown[] | null }>`
      with booking as (
        select id, org_id, quote_id, unit_id
        from bookings
        where org_id = ${orgId} and id = ${id} and deleted_at is null
      ),
      change as materialized (
        select audit.id, audit.created_at, audit.action, audit.actor, audit.changes, audit.trace_id, audit.unit_id
        from sync_audit audit
        where audit.org_id = ${orgId}
          and audit.action like 'booking.%'
          and coalesce(audit.changes -> 0 ->> 'after', audit.changes -> 0 ->> 'before') = ${id}
        order by audit.created_at desc
        limit ${maxEntries}
      ),
      payment as (
        select intent.*
        from payment_intents intent
        join booking on booking.org_id = intent.org_id and booking.id = intent.booking_id
      )
      select (
        select json_agg(entry.json order by entry.at desc)
        from (${sql.join(parts, ' union all ')}) entry
      ) as entries
      from booking`,
  )
  if (!row) throw new NotFound('booking', id)
  return row.entries ?? []
}

const entry = (at: Fragment, kind: string, id: Fragment, members: Entry) => {
  const none = sql`null`
  const value = (name: string) => members[name] ?? none
  return sql`
    select
      ${at} as at,
      json_build_object(
        'kind', ${sql.lit(kind)}, 'id', ${id}, 'occurred_at', iso(${at}), 'action', ${value('action')},
        'status', ${value('status')}, 'actor', ${value('actor')}, 'amount_cents', ${value('amount')},
        'currency', ${value('currency')}, 'recipient', ${value('recipient')}, 'name', ${value('name')},
        'message', ${value('message')}, 'changes', ${members['changes'] ?? sql`'[]'::json`}
      ) as json`
}

const quoteEntry = sql`
  ${entry(sql`quote.created_at`, 'quote', sql`quote.id`, {
    amount: sql`quote.total_cents`,
    currency: sql`quote.currency`,
  })}
  from quotes quote
  join booking on booking.org_id = quote.org_id and booking.quote_id = quote.id`

const changeEntries = sql`
  ${entry(sql`change.created_at`, 'change', sql`change.id`, {
    action: sql`change.action`,
    actor: sql`change.actor ->> 'name'`,
    changes: sql`(
      select coalesce(json_agg(one.value), '[]')
      from jsonb_array_elements(change.changes) one
      where one.value ->> 'field' <> 'booking'
    )`,
  })}
  from change`

const paymentEntries = sql`
  ${entry(sql`payment.created_at`, 'payment', sql`payment.id`, {
    status: sql`payment.status`,
    amount: sql`payment.amount`,
    currency: sql`payment.currency`,
    message: sql`payment.failure_code`,
  })}
  from payment`

const refundEntries = sql`
  ${entry(sql`refund.created_at`, 'refund', sql`refund.id`, {
    action: sql`refund.reason`,
    status: sql`refund.status`,
    amount: sql`refund.amount`,
    currency: sql`refund.currency`,
    message: sql`refund.failure_code`,
  })}
  from payment_refunds refund
  join payment on payment.org_id = refund.org_id and payment.id = refund.payment_intent_id`

const notificationEntries = sql`
  (
    ${entry(sql`notification.created_at`, 'notification', sql`notification.id`, {
      action: sql`notification.kind`,
      status: sql`notification.status`,
      recipient: sql`notification.recipient`,
      name: sql`notification.subject`,
      message: sql`notification.error_message`,
    })}
    from notifications notification
    join booking on booking.org_id = notification.org_id and booking.id = notification.subject_id
    order by notification.created_at desc
    limit ${maxEntries}
  )`

/**
 * A push has the trace of the requests that caused it: a client may make several changes within one trace. A move is
 * pushed for both units.
 */
const pushEntries = (orgId: string) => sql`
  (
    ${entry(sql`push.created_at`, 'push', sql`push.id`, {
      action: sql`push.action`,
      status: sql`push.status`,
      name: sql`target.name`,
      message: sql`push.error ->> 'message'`,
    })}
    from (
      select unit.id as unit_id, trace_id, min(created_at) as first_at, max(created_at) as last_at
      from change
      cross join lateral (
        select change.unit_id
        union
        select (one.value ->> 'before')::uuid
        from jsonb_array_elements(change.changes) one
        where one.value ->> 'field' = 'unitId'
      ) unit (id)
      group by unit.id, trace_id
    ) change
    join channel_listings listing on listing.org_id = ${orgId} and listing.unit_id = change.unit_id
    join sync_audit push
      on push.org_id = listing.org_id
      and push.channel_listing_id = listing.id
      and push.created_at between change.first_at and change.last_at + ${pushWindow}
      and push.trace_id = change.trace_id
      and push.action in ('sync.completed', 'sync.failed')
    left join channel_targets target on target.org_id = push.org_id and target.id = push.channel_target_id
    order by push.created_at desc
    limit ${maxEntries}
  )`
