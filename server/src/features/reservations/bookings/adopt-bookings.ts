import { sql, type NotNull } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'

/** A reservation at a PMS, as a target sends it for the first time. */
interface Reservation {
  readonly targetId: string
  /** The id of the reservation at the PMS. */
  readonly id: string
  readonly stays: readonly { readonly unitId: string; readonly arrival: string; readonly departure: string }[]
}

/**
 * Gives the bookings of a reservation to the target that sends it now: they came from a target that was deleted, or
 * where their unit is not linked any more. Otherwise the same reservation would take its rooms twice. Other PMSs may use
 * the same ids, so the unit and the nights must be the same too. The caller has locked the units. Returns their external
 * ids.
 */
export async function adoptBookings(
  transaction: Transaction,
  { targetId, id, stays }: Reservation,
): Promise<string[]> {
  if (stays.length === 0) return []
  const { orgId } = transaction
  const adopted = await rows(
    transaction,
    sql<{ external_id: NotNull<string> }>`
      with stay as (
        select distinct given."unitId" as unit_id, given.arrival, given.departure
        from jsonb_to_recordset(${JSON.stringify(stays)}::jsonb)
          as given ("unitId" uuid, arrival date, departure date)),
      abandoned as (
        select distinct on (booking.external_id) booking.id
        from stay
        cross join lateral (
          select *
          from bookings booking
          where booking.org_id = ${orgId}
            and booking.unit_id = stay.unit_id
            and booking.departure = stay.departure
            and booking.arrival = stay.arrival
            and booking.deleted_at is null
            and takes_room(booking.status)
          offset 0) booking
        where booking.source = 'pms'
          and (booking.external_id = ${id} or starts_with(booking.external_id, ${`${id}#`}))
          and booking.channel_target_id is distinct from ${targetId}::uuid
          and not exists (
            select 1
            from channel_listings listing
            where listing.org_id = booking.org_id
              and listing.unit_id = booking.unit_id
              and listing.channel_target_id = booking.channel_target_id)
        order by booking.external_id, booking.id)
      update bookings booking
      set channel_target_id = ${targetId},
        version = version + 1,
        updated_at = now()
      where booking.org_id = ${orgId}
        and booking.id in (select id from abandoned)
      returning booking.external_id`,
  )
  return adopted.map(({ external_id }) => external_id)
}
