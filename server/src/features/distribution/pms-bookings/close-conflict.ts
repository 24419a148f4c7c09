import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, PreconditionFailed } from '#errors.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import { removeBlocks } from '#features/inventory/calendar/blocks-of-sources.ts'
import { applyAgain } from './apply-again.ts'
import type { ApplyOptions, ApplyResult } from './apply-pms-booking.ts'
import type { DismissalInput } from './booking-conflict.ts'
import { findConflict, resolveConflicts, type StoredConflict } from './conflict-queries.ts'
import { markRetried, resolveImportAlert, retryImportedStays } from './imported-conflicts.ts'
import { recordConflictEvents } from './record-conflict-events.ts'
import { resolveConflictAlerts } from './record-conflicts.ts'

/** Applies the last revision of the booking again, which may still not fit. @throws NotFound, Conflict */
export const retryConflict = (scope: Scope, pms: PmsDirectory, id: string): Promise<StoredConflict> =>
  atomically(scope, async (transaction) => {
    const conflict = await findConflict(transaction, id)
    assertOpen(conflict)
    await retry(transaction, pms, conflict)
    const result = await findConflict(transaction, id)
    if (transaction.actor.type !== 'system')
      auditConflict(transaction, 'booking.conflict_retried', id, result, null)
    return result
  })

/** Retries for the system: nothing happens when the conflict was closed, or deleted with its target, meanwhile. */
export async function retryOpenConflict(scope: Scope, pms: PmsDirectory, id: string): Promise<void> {
  try {
    await retryConflict(scope, pms, id)
  } catch (error) {
    if (error instanceof Conflict || error instanceof NotFound) return
    // Those that were tried first come first: many that fail would keep all others from being tried.
    await markRetried(scope, id, false)
    throw error
  }
}

async function retry(transaction: Transaction, pms: PmsDirectory, conflict: StoredConflict): Promise<void> {
  const { calendar_feed_id } = conflict
  if (calendar_feed_id) return await retryImportedStays(transaction, calendar_feed_id, conflict.id)
  const result = await applyStored(transaction, pms, conflict)
  if (result !== 'outdated') return
  const { id, version, channel_target_id: targetId, booking } = conflict
  // A newer revision that was tried meanwhile does not fit either, and the conflict has that one now.
  if ((await findConflict(transaction, id)).version !== version) return
  // A newer revision is applied: the PMS does not have the one of this conflict any more.
  const units = await resolveConflicts(transaction, targetId!, booking.id, [], id)
  await resolveConflictAlerts(transaction, targetId!, units)
}

/** Applies the revision of a booking that its conflict holds. @throws NotFound when its target is gone */
export async function applyStored(
  transaction: Transaction,
  pms: PmsDirectory,
  { id, channel_target_id, booking }: StoredConflict,
  chosen?: ApplyOptions['chosen'],
): Promise<ApplyResult> {
  const result = channel_target_id && (await applyAgain(transaction, pms, channel_target_id, booking, chosen))
  if (!result) throw new NotFound('booking conflict', id)
  return result
}

/** Closes a conflict that a person decided to ignore, with the reason. @throws NotFound, Conflict, PreconditionFailed */
export const dismissConflict = (
  scope: Scope,
  id: string,
  { reason, updated_at }: DismissalInput,
): Promise<StoredConflict> =>
  atomically(scope, async (transaction) => {
    const { unit_id: unitId } = await findConflict(transaction, id)
    // As a booking that is applied does: first the unit, then the conflict.
    if (unitId) await lockUnits(transaction, [unitId])
    await lockConflict(transaction, id)
    const open = await findConflict(transaction, id)
    assertOpen(open)
    assertSeen(open, updated_at)
    await closeConflict(transaction, id, reason)
    const conflict = await findConflict(transaction, id)
    const { channel_target_id, unit_id } = conflict
    if (channel_target_id) await resolveConflictAlerts(transaction, channel_target_id, [unit_id])
    else if (unit_id) await resolveImportAlert(transaction, unit_id)
    auditConflict(transaction, 'booking.conflict_dismissed', id, conflict, reason)
    return conflict
  })

/** @throws Conflict */
export function assertOpen({ status }: StoredConflict): void {
  if (status === 'open') return
  throw new Conflict(
    'invalid-status-transition',
    `The conflict is ${status} already. Only an open conflict can be retried or dismissed.`,
  )
}

/** Rejects a decision about a conflict that has changed since it was seen, as by a new revision. @throws PreconditionFailed */
export function assertSeen({ updated_at }: StoredConflict, seen: string | undefined): void {
  if (seen !== undefined && Date.parse(seen) !== Date.parse(updated_at)) throw new PreconditionFailed()
}

export const lockConflict = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql`
      select 1
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and id = ${id}
      for update`,
  )

/** Closes a conflict for the revision of the booking that it holds. */
export async function closeConflict(transaction: Transaction, id: string, reason: string): Promise<void> {
  const closed = await rows(
    transaction,
    sql<{ json: string }>`
      update booking_conflicts
      set status = 'dismissed',
        dismissal_reason = ${reason},
        closed_at = clock_timestamp(),
        closed_by = ${JSON.stringify(transaction.actor)},
        updated_at = clock_timestamp(),
        version = version + 1
      where org_id = ${transaction.orgId}
        and id = ${id}
      returning json`,
  )
  await removeBlocks(transaction, [id])
  await recordConflictEvents(transaction, 'conflict.dismissed', closed)
}

export const auditConflict = (
  transaction: Transaction,
  action: string,
  id: string,
  conflict: StoredConflict,
  reason: string | null,
) =>
  addAuditEntries(transaction, [
    {
      account_id: null,
      ...(conflict.channel_target_id && { channel_target_id: conflict.channel_target_id }),
      ...(conflict.unit_id && { unit_id: conflict.unit_id }),
      action,
      trigger: 'manual',
      changes: [
        { field: 'booking_conflict', before: id, after: conflict.status },
        ...(reason === null ? [] : [{ field: 'dismissal_reason', before: null, after: reason }]),
      ],
    },
  ])
