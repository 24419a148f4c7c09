import { sql, type NotNull } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { applyExternalBooking } from '#features/reservations/bookings/apply-booking.ts'
import { lockPmsBookings } from '#features/reservations/guests/erased-bookings.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import { raiseAlerts } from '#features/messaging/alerts/queries.ts'
import { enqueue } from '#queue/job.ts'
import { invalidateStays } from './invalidate-stays.ts'
import { MoveRelinkedBookings, RetryBookingConflict, type RelinkedRoom } from './jobs.ts'
import { loadBookings, saveUnitOfLine } from './queries.ts'
import { resolveConflictAlerts } from './record-conflicts.ts'

/** How often bookings that do not fit are tried again. */
const retryMs = 600_000

/**
 * Moves the coming bookings of a room to the unit that it is linked to now. Otherwise their nights were free there, and the
 * PMS would sell the same room again. A booking that a user moved to another unit stays there; one that does not fit
 * stays where it is, with an alert, and is tried again until it fits. What did not fit in the previous unit is tried here.
 */
export async function moveRelinkedBookings(
  scope: Scope,
  { listingId, alerted }: RelinkedRoom,
): Promise<void> {
  let unplaced: RelinkedBooking | undefined
  for (const booking of await listRelinked(scope, listingId)) {
    const fits = await atomically(scope, (transaction) => moveBooking(transaction, booking, !alerted))
    if (!fits) unplaced = booking
  }
  const isOver = alerted !== undefined && alerted.unitId !== unplaced?.unit_id
  await atomically(scope, async (transaction) => {
    if (!alerted)
      await enqueue(transaction, RetryBookingConflict, await listConflictsElsewhere(scope, listingId))
    // When the room is linked to another unit again, that has a job of its own.
    if (unplaced && !isOver) {
      const { target_id: targetId, unit_id: unitId } = unplaced
      await enqueue(transaction, MoveRelinkedBookings, [
        { payload: { listingId, alerted: { targetId, unitId } }, afterMs: retryMs },
      ])
    }
    if (isOver) await resolveConflictAlerts(transaction, alerted.targetId, [alerted.unitId])
  })
}

interface RelinkedBooking {
  readonly external_id: NotNull<string>
  readonly pms_booking_id: string
  readonly revised_at: NotNull<string>
  readonly target_id: string
  readonly target_name: string
  readonly unit_id: string
  readonly unit_name: string
  readonly account_id: string
}

const listRelinked = (scope: Scope, listingId: string) =>
  rows(
    scope,
    sql<RelinkedBooking>`
      select booking.external_id, known.external_id as pms_booking_id,
        coalesce(booking.external_revised_at, now())::text as revised_at,
        listing.channel_target_id as target_id, target.name as target_name, listing.unit_id, unit.name as unit_name,
        listing.account_id
      from channel_listings listing
      join channel_targets target
        on target.org_id = listing.org_id
        and target.id = listing.channel_target_id
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
      order by booking.arrival, booking.id`,
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

/** Returns false when it does not fit. */
async function moveBooking(
  transaction: Transaction,
  relinked: RelinkedBooking,
  isNewCase: boolean,
): Promise<boolean> {
  const {
    external_id: externalId,
    pms_booking_id: pmsBookingId,
    target_id: targetId,
    unit_id: unitId,
  } = relinked
  // A revision takes the same locks in this order.
  await lockPmsBookings(transaction, [{ channel_target_id: targetId, pms_booking_id: pmsBookingId }])
  const before = (await loadBookings(transaction, targetId, [externalId])).get(externalId)
  if (!before || before.unitId === unitId) return true
  await lockUnits(transaction, [before.unitId, unitId])
  const { outcome, conflicts = [] } = await applyExternalBooking(transaction, {
    targetId,
    externalId,
    accountId: relinked.account_id,
    unitId,
    ratePlanId: null,
    status: before.status,
    guests: before.guests,
    rooms: before.rooms,
    arrival: before.arrival,
    departure: before.departure,
    totalCents: before.totalCents,
    currency: before.currency,
    revisedAt: relinked.revised_at,
  })
  if (outcome !== 'conflict') {
    // Otherwise the next revision would take the room for a new one, and undo where a user moves the booking meanwhile.
    await saveUnitOfLine(transaction, { targetId, pmsBookingId, externalId, unitId })
    await invalidateStays(transaction, targetId, [before, { ...before, unitId }])
    return true
  }
  await raiseAlerts(transaction, [
    {
      account_id: relinked.account_id,
      kind: 'booking.conflict',
      channel_target_id: targetId,
      unit_id: unitId,
      message: `${relinked.target_name}: the room is linked to ${relinked.unit_name} now, and its booking of ${before.arrival} does not fit there.`,
      hint: 'The booking stays in its unit, so its nights can be sold again at the PMS. Free the nights, or move the booking.',
      details: { external_id: externalId, reason: 'no_room', conflicts },
      isNewCase,
    },
  ])
  return false
}
