import { sql, type Statement } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'

/** Until it commits, no other transaction reads what an alert must name: each would miss what the other changes. */
export const lockPaymentAlerts = (transaction: Transaction) =>
  rows(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended(${`payment alerts ${transaction.orgId}`}, 0))`,
  )

/**
 * Selects as `unit_id` the unit of a payment and those with an open alert about it, because the stay may have moved, and as
 * `alerted` what their alert names under `member` of its details.
 */
export const alertedUnits = (
  { orgId }: Transaction,
  intentId: string,
  kind: 'refund.failed' | 'payment.disputed',
  member: 'refunds' | 'disputes',
): Statement => sql`
  select affected.unit_id,
    coalesce((
      select alert.details -> ${member}::text
      from alerts alert
      where alert.org_id = ${orgId}
        and alert.unit_id = affected.unit_id
        and alert.kind = ${kind}
        and alert.resolved_at is null), '[]') as alerted
  from (
    select booking.unit_id
    from payment_intents intent
    join bookings booking on booking.org_id = intent.org_id and booking.id = intent.booking_id
    where intent.org_id = ${orgId} and intent.id = ${intentId}
    union
    select alert.unit_id
    from alerts alert
    where alert.org_id = ${orgId}
      and alert.kind = ${kind}
      and alert.resolved_at is null
      and alert.details -> ${member}::text @> jsonb_build_array(
        jsonb_build_object('payment_intent_id', ${intentId}::text))) affected`
