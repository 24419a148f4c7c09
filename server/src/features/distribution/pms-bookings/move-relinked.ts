import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { lockPmsBookings } from '#features/reservations/guests/erased-bookings.ts'
import { enqueue } from '#queue/job.ts'
import { applyAgain } from './apply-again.ts'
import { RetryBookingConflict } from './jobs.ts'
import { loadLastRevision } from './queries.ts'

/**
 * Moves the coming bookings of a room to the unit that it is linked to now. Otherwise their nights were free there, and the
 * PMS would sell the same room again. A booking that a user moved to another unit stays there; one that does not fit
 * stays where it is, as a conflict that blocks its nights. What did not fit in the previous unit is tried here.
 */
export async function moveRelinkedBookings(
  scope: Scope,
  pms: PmsDirectory,
  listingId: string,
): Promise<void> {
  for (const booking of await listRelinked(scope, listingId))
    await atomically(scope, (transaction) => moveBooking(transaction, pms, booking))
  const conflicts = await listConflictsElsewhere(scope, listingId)
  await atomically(scope, (transaction) => enqueue(transaction, RetryBookingConflict, conflicts))
}

interface RelinkedBooking {
  readonly channel_target_id: string
  readonly pms_booking_id: string
}

const listRelinked = (scope: Scope, listingId: string) =>
  rows(
    scope,
    sql<RelinkedBooking>`
      select known.channel_target_id, known.external_id as pms_booking_id
      from channel_listings listing
      join units unit
        on unit.org_id = listing.org_id
        and unit.id = listing.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      join bookings booking
        on booking.org_id = listing.org_id
        and booking.channel_target_id = listing.channel_target_id
        and booking.unit_id <> listing.unit_id
      join pms_bookings known
        on known.org_id = booking.org_id
        and known.channel_target_id = booking.channel_target_id
        and known.external_id in (booking.external_id, regexp_replace(booking.external_id, '#[^#]*$', '')),
      jsonb_to_recordset(known.known_lines) as line (external_id text, listing text, is_removed boolean, applied jsonb)
      where listing.org_id = ${scope.orgId}
        and listing.id = ${listingId}
        and booking.deleted_at is null
        and takes_room(booking.status)
        and booking.departure > (now() at time zone space.timezone)::date
        and not known.cancelled
        and line.external_id = booking.external_id
        and line.listing = listing.external_id
        and not line.is_removed
        and (line.applied is null or (line.applied ->> 'unit_id')::uuid = booking.unit_id)
      group by known.channel_target_id, known.external_id
      order by min(booking.arrival), known.external_id`,
  )

/** The bookings of the room that do not fit in another unit, with the blocks that they have there. */
async function listConflictsElsewhere(scope: Scope, listingId: string) {
  const conflicts = await rows(
    scope,
    sql<{ conflictId: string }>`
      select conflict.id as "conflictId"
      from channel_listings listing
      join booking_conflicts conflict
        on conflict.org_id = listing.org_id
        and conflict.channel_target_id = listing.channel_target_id
        and conflict.listing = listing.external_id
        and conflict.unit_id is distinct from listing.unit_id
      where listing.org_id = ${scope.orgId}
        and listing.id = ${listingId}
        and conflict.status = 'open'
      order by conflict.id`,
  )
  return conflicts.map((payload) => ({ payload }))
}

async function moveBooking(
  transaction: Transaction,
  pms: PmsDirectory,
  { channel_target_id: targetId, pms_booking_id: id }: RelinkedBooking,
): Promise<void> {
  // Otherwise a revision that is applied meanwhile would be undone.
  await lockPmsBookings(transaction, [{ channel_target_id: targetId, pms_booking_id: id }])
  const booking = await loadLastRevision(transaction, targetId, id)
  if (booking) await applyAgain(transaction, pms, targetId, booking)
}
