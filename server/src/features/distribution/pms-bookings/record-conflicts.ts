import type { Transaction } from '#db/scope.ts'
import type { PmsBooking, PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { takesRooms, type Booking } from '#features/reservations/bookings/booking.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { describeConflict, type PmsConflictReason } from './booking-conflict.ts'
import { listDismissed, saveConflicts, listUnitsInConflict, resolveConflicts } from './conflict-queries.ts'

/** Why a line of a booking could not be applied. */
export interface LineProblem {
  readonly externalId: string
  readonly line: PmsBookingLine | null
  /** The unit of the stay. */
  readonly unitId?: string | undefined
  /** The booking here, which stays unchanged. */
  readonly before?: Booking | undefined
  readonly reason: PmsConflictReason
  readonly bookingId?: string | null
  readonly conflicts?: readonly object[]
  readonly fullNights?: readonly string[]
}

/**
 * Replaces the open conflicts of a booking with its current problems, and raises or resolves their alerts. A dismissed
 * conflict stays dismissed until the PMS changes the booking.
 */
export async function recordConflicts(
  transaction: Transaction,
  target: TargetConnection,
  booking: PmsBooking,
  problems: readonly LineProblem[],
): Promise<void> {
  const dismissed = await listDismissed(transaction, target.id, booking)
  const conflicts = problems
    .filter(({ externalId }) => !dismissed.includes(externalId))
    .map(({ externalId, line, unitId, before, reason, bookingId, conflicts, fullNights }) => ({
      external_id: externalId,
      listing: line?.listing ?? null,
      plan: line?.plan ?? null,
      unit_id: unitId ?? null,
      booking_id: bookingId ?? null,
      reason,
      conflicts: conflicts ?? [],
      ...describeConflict(reason, externalId, {
        listing: line?.listing ?? null,
        plan: line?.plan ?? null,
        fullNights: fullNights ?? [],
        keepsRoom: before !== undefined && takesRooms(before.status),
      }),
    }))
  const closedUnits = await resolveConflicts(transaction, target.id, booking.id, conflicts)
  const added = await saveConflicts(transaction, target, booking, conflicts)
  await raiseAlerts(
    transaction,
    conflicts.map(({ unit_id, external_id, reason, message, hint, conflicts }) => ({
      account_id: target.account_id,
      kind: 'booking.conflict' as const,
      channel_target_id: target.id,
      unit_id,
      message: `${target.name}: ${message}`,
      hint,
      details: { external_id, reason, conflicts },
      isNewCase: added.includes(external_id),
    })),
  )
  await resolveConflictAlerts(transaction, target.id, closedUnits)
}

/** Resolves the alerts of units without an open conflict; null stands for conflicts without a unit. */
export async function resolveConflictAlerts(
  transaction: Transaction,
  targetId: string,
  unitIds: readonly (string | null)[],
): Promise<void> {
  if (unitIds.length === 0) return
  const inConflict = await listUnitsInConflict(transaction, targetId)
  for (const unitId of new Set(unitIds))
    if (!inConflict.includes(unitId))
      await resolveAlerts(transaction, 'booking.conflict', { targetId, unitId })
}
