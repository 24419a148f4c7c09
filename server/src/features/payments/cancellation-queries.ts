import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import type { LockedIntent } from './queries.ts'

/** A booking that is off or was deleted, and what its organization says of such; nothing while it goes on. */
export const findEnded = (transaction: Transaction, bookingId: string) =>
  first(
    transaction,
    sql<{ status: string; reason: string | null; days_before: number; settings: unknown }>`
      select case when b.deleted_at is not null and b.status in ('pending', 'confirmed', 'checked_in') then 'cancelled'
          else b.status end as status, b.cancellation_reason as reason, o.settings,
        lower(b.nights) - (coalesce(b.cancelled_at, b.deleted_at, b.updated_at) at time zone s.timezone)::date as days_before
      from bookings b join units u on u.org_id = b.org_id and u.id = b.unit_id
        join spaces s on s.org_id = u.org_id and s.id = u.space_id
        join organizations o on o.id = b.org_id
      where b.org_id = ${transaction.orgId} and b.id = ${bookingId}
        and (b.status in ('cancelled', 'declined', 'expired') or b.deleted_at is not null)`,
  )

/** The payments of a booking, none of which moves meanwhile. */
export const lockPaymentsOf = (transaction: Transaction, bookingId: string) =>
  rows(
    transaction,
    sql<
      LockedIntent & { is_paid_back: boolean }
    >`select p.id, p.account_id, p.booking_id, p.amount, p.currency, p.status,
        p.requested, p.amount_received, p.amount_refunded, exists (
          select 1 from payment_refunds r where r.org_id = p.org_id and r.payment_intent_id = p.id
            and r.reason = 'cancellation' and r.status in ('pending', 'succeeded')) as is_paid_back
      from payment_intents p where p.org_id = ${transaction.orgId} and p.booking_id = ${bookingId}
      order by p.id for update of p`,
  )
