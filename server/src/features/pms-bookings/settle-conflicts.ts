import type { Transaction } from '#db/scope.ts'
import type { PmsBooking, PmsBookingLine } from '#outside/pms/pms-booking.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { takesRooms, type Booking } from '../bookings/booking.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import { wordsFor, type PmsConflictReason } from './booking-conflict.ts'
import { dismissedOf, keepConflicts, openUnits, resolveConflicts } from './conflict-queries.ts'
import type { LinkedRoom } from './queries.ts'

/** What kept a line of a booking from being applied. */
export interface Found {
  readonly externalId: string
  readonly line: PmsBookingLine | null
  readonly room?: LinkedRoom | undefined
  /** The booking here that keeps its place meanwhile. */
  readonly before?: Booking | undefined
  readonly reason: PmsConflictReason
  readonly bookingId?: string | null
  readonly conflicts?: readonly object[]
  readonly fullNights?: readonly string[]
}

/**
 * What is wrong with a booking now: that is kept and raised, and whatever else was wrong with it is right again. What a
 * person has dismissed stays so until the PMS changes the booking.
 */
export async function settleConflicts(
  transaction: Transaction,
  target: TargetConnection,
  booking: PmsBooking,
  found: readonly Found[],
): Promise<void> {
  const dismissed = await dismissedOf(transaction, target.id, booking)
  const kept = found
    .filter(({ externalId }) => !dismissed.includes(externalId))
    .map(({ externalId, line, room, before, reason, bookingId, conflicts, fullNights }) => ({
      external_id: externalId,
      listing: line?.listing ?? null,
      plan: line?.plan ?? null,
      unit_id: room?.unit_id ?? null,
      booking_id: bookingId ?? null,
      reason,
      conflicts: conflicts ?? [],
      ...wordsFor(reason, externalId, {
        listing: line?.listing ?? null,
        plan: line?.plan ?? null,
        fullNights: fullNights ?? [],
        keepsRoom: before !== undefined && takesRooms(before.status),
      }),
    }))
  const closed = await resolveConflicts(transaction, target.id, booking.id, kept)
  const news = await keepConflicts(transaction, target, booking, kept)
  await raiseAlerts(
    transaction,
    kept.map(({ unit_id, external_id, reason, message, hint, conflicts }) => ({
      account_id: target.account_id,
      kind: 'booking.conflict' as const,
      channel_target_id: target.id,
      unit_id,
      message: `${target.name}: ${message}`,
      hint,
      details: { external_id, reason, conflicts },
      isNews: news.includes(external_id),
    })),
  )
  await calm(transaction, target.id, closed)
}

/** An alert ends with the last conflict of its unit; of what has no unit, with the last of the target. */
export async function calm(
  transaction: Transaction,
  targetId: string,
  unitIds: readonly (string | null)[],
): Promise<void> {
  if (unitIds.length === 0) return
  const open = await openUnits(transaction, targetId)
  for (const unitId of new Set(unitIds))
    if (!open.includes(unitId)) await resolveAlerts(transaction, 'booking.conflict', { targetId, unitId })
}
