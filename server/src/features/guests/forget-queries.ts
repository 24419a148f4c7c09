import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import { erasedName } from './guest.ts'

export interface Forgotten {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly channel_target_id: string | null
  readonly deleted: boolean
  readonly json: string
  readonly space_id: string
}

/** Takes the guest out of bookings; what was forgotten already is left as it is. */
export const overwriteGuests = (transaction: Transaction, bookingIds: readonly string[]) =>
  rows(
    transaction,
    sql<Forgotten>`with those as (
        select id from bookings where org_id = ${transaction.orgId} and id = any(${bookingIds}::uuid[])
          and guest_erased_at is null order by id for update)
      update bookings b set guest_name = ${erasedName}, guest_email = null, guest_phone = null, notes = null,
        pms_notes = null, pms_guest = null, guest_erased_at = now(), version = b.version + 1, updated_at = now()
      from those t, units u where b.org_id = ${transaction.orgId} and b.id = t.id and u.org_id = b.org_id and u.id = b.unit_id
      returning b.id, b.account_id, b.unit_id, b.channel_target_id, b.deleted_at is not null as deleted, b.json, u.space_id`,
  )

/** Bookings of a PMS that have not found a place for so long that nobody needs to know for whom. */
export const overwriteHomeless = (transaction: Transaction, bookingIds: readonly string[]) =>
  rows(
    transaction,
    sql`update booking_conflicts set version = version + 1, updated_at = clock_timestamp(),
        booking = booking || '{"guestName": null, "guestEmail": null, "guestPhone": null, "notes": null}'
      where org_id = ${transaction.orgId} and booking_id = any(${bookingIds}::uuid[])`,
  )
