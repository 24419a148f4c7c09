import { sql } from '#db/sql.ts'
import { type Actor, type Transaction, rows } from '#db/scope.ts'
import { bookingJson } from '#features/reservations/bookings/queries.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { erasedName } from './guest.ts'

interface AnonymizeOptions {
  readonly actor: Actor
  /** Whether events are published, so that receivers can erase their copies. */
  readonly publishes: boolean
}

/** Removes the guest from bookings, with audit entries and events. Returns the number of changed bookings. */
export async function anonymizeGuests(
  transaction: Transaction,
  bookingIds: readonly string[],
  { actor, publishes }: AnonymizeOptions,
): Promise<number> {
  const anonymized = await anonymizeBookings(transaction, bookingIds)
  if (anonymized.length === 0) return 0
  if (publishes) await publishEvents(transaction, anonymized)
  else await anonymizeConflicts(transaction, bookingIds)
  addAuditEntries(
    transaction,
    anonymized.map(({ id, account_id, unit_id, channel_target_id }) => ({
      account_id,
      unit_id,
      ...(channel_target_id && { channel_target_id }),
      action: publishes ? 'booking.guest_erased' : 'booking.guest_expired',
      trigger: publishes ? 'manual' : 'schedule',
      actor,
      changes: [
        { field: 'booking', before: id, after: id },
        { field: 'guest', before: 'not shown', after: null },
      ],
    })),
  )
  return anonymized.length
}

/** Without `previous`, which would hold the erased data. No notification follows from these events. */
const publishEvents = (transaction: Transaction, anonymized: readonly AnonymizedBooking[]) =>
  recordEvents(
    transaction,
    anonymized
      .filter(({ deleted }) => !deleted)
      .map((one) => ({
        type: 'booking.updated' as const,
        accountId: one.account_id,
        subjectId: one.id,
        data: { booking: JSON.parse(bookingJson(one)) as object },
      })),
  )

interface AnonymizedBooking {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly channel_target_id: string | null
  readonly deleted: boolean
  readonly json: string
  readonly space_id: string
}

/** Removes the guest from bookings that still have one. */
const anonymizeBookings = (transaction: Transaction, bookingIds: readonly string[]) =>
  rows(
    transaction,
    sql<AnonymizedBooking>`
      with to_anonymize as (
        select id
        from bookings
        where org_id = ${transaction.orgId}
          and id = any(${bookingIds}::uuid[])
          and guest_erased_at is null
        order by id
        for update)
      update bookings booking
      set guest_name = ${erasedName},
        guest_email = null,
        guest_phone = null,
        notes = null,
        pms_notes = null,
        pms_guest = null,
        guest_erased_at = now(),
        version = booking.version + 1,
        updated_at = now()
      from to_anonymize, units unit
      where booking.org_id = ${transaction.orgId}
        and booking.id = to_anonymize.id
        and unit.org_id = booking.org_id
        and unit.id = booking.unit_id
      returning booking.id, booking.account_id, booking.unit_id, booking.channel_target_id,
        booking.deleted_at is not null as deleted, booking.json, unit.space_id`,
  )

/** Removes the guest from booking conflicts of these bookings. */
const anonymizeConflicts = (transaction: Transaction, bookingIds: readonly string[]) =>
  rows(
    transaction,
    sql`update booking_conflicts set version = version + 1, updated_at = clock_timestamp(),
        booking = booking || '{"guestName": null, "guestEmail": null, "guestPhone": null, "notes": null}'
      where org_id = ${transaction.orgId} and booking_id = any(${bookingIds}::uuid[])`,
  )
