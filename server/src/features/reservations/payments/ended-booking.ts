import { sql, type NotNull } from '#db/sql.ts'
import { first, type Transaction } from '#db/scope.ts'
import { parsePolicy, refundShare } from './cancellation-policy.ts'

/** When a booking ended before its stay or was deleted, and the share to refund by the policy; undefined when it did not. */
export async function getEndedBooking(
  transaction: Transaction,
  bookingId: string,
): Promise<{ at: string; percent: number } | undefined> {
  const ended = await first(
    transaction,
    sql<{
      status: string
      reason: string | null
      ended_at: NotNull<string>
      days_before: number
      settings: unknown
    }>`
      select
        case
          when booking.deleted_at is not null and booking.status in ('pending', 'confirmed', 'checked_in')
          then 'cancelled'
          else booking.status end as status,
        booking.cancellation_reason as reason,
        ended.at::text as ended_at,
        organization.settings,
        lower(booking.nights) - (ended.at at time zone space.timezone)::date as days_before
      from bookings booking
      cross join lateral (
        select coalesce(booking.cancelled_at, booking.deleted_at, booking.updated_at) as at) ended
      join units unit
        on unit.org_id = booking.org_id
        and unit.id = booking.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      join organizations organization
        on organization.id = booking.org_id
      where booking.org_id = ${transaction.orgId}
        and booking.id = ${bookingId}
        and (booking.status in ('cancelled', 'declined', 'expired') or booking.deleted_at is not null)`,
  )
  if (!ended) return undefined
  const { status, reason: cancellationReason, days_before: daysBefore, settings, ended_at: at } = ended
  return { at, percent: refundShare(parsePolicy(settings), { status, cancellationReason, daysBefore }) }
}
