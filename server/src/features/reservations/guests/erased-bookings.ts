import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'

/** A booking whose guest was erased: a PMS cannot bring the guest back. It holds ids only. */
export interface ErasedBooking {
  readonly booking_id: string | null
  readonly channel_target_id: string | null
  readonly pms_booking_id: string | null
}

export const insertErasedBookings = (
  transaction: Transaction,
  id: string,
  erased: readonly ErasedBooking[],
) =>
  rows(
    transaction,
    sql`
      insert into erased_bookings (org_id, guest_erasure_id, booking_id, channel_target_id, pms_booking_id)
      select ${transaction.orgId}, ${id}, booking_id, channel_target_id, pms_booking_id
      from jsonb_to_recordset(${JSON.stringify(erased)}::jsonb)
        as erased (booking_id uuid, channel_target_id uuid, pms_booking_id text)`,
  )

/**
 * Whether the guest of a PMS booking was erased, by request or after the retention. The caller holds the lock of that
 * booking, as an erasure does.
 */
export async function isGuestErased(
  transaction: Transaction,
  targetId: string,
  pmsBookingId: string,
  lines: readonly string[],
): Promise<boolean> {
  const row = await first(
    transaction,
    sql<{ erased: boolean }>`
      select
        exists (
          select 1
          from erased_bookings
          where org_id = ${transaction.orgId}
            and channel_target_id = ${targetId}
            and pms_booking_id = ${pmsBookingId})
        or exists (
          select 1
          from bookings
          where org_id = ${transaction.orgId}
            and channel_target_id = ${targetId}
            and external_id = any(${lines}::text[])
            and guest_erased_at is not null) as erased`,
  )
  return row!.erased
}

/** Excludes transactions that apply a message of the PMS until this one ends. */
export const lockPmsBookings = (
  transaction: Transaction,
  bookings: readonly Pick<ErasedBooking, 'channel_target_id' | 'pms_booking_id'>[],
) =>
  rows(
    transaction,
    sql`
      select 1
      from pms_bookings pms_booking
      join jsonb_to_recordset(${JSON.stringify(bookings)}::jsonb)
          as booking (channel_target_id uuid, pms_booking_id text)
        on pms_booking.channel_target_id = booking.channel_target_id
        and pms_booking.external_id = booking.pms_booking_id
      where pms_booking.org_id = ${transaction.orgId}
      order by pms_booking.channel_target_id, pms_booking.external_id
      for update of pms_booking`,
  )
