import { atomically, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import type { PmsDirectory } from '#outside/pms/pms.ts'
import { parseTraceparent } from '#telemetry.ts'
import { lookForTarget } from '../channel-targets/queries.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { applyPmsBooking } from './apply-pms-booking.ts'
import { dismissConflict, findConflict, refuseClosed, type StoredConflict } from './conflict-queries.ts'
import { calm } from './settle-conflicts.ts'
import { resolveImportAlert, retryImportedStays } from './settle-imported-stays.ts'
import type { Transaction } from '#db/scope.ts'

/** Applies the whole booking again as the PMS told it last; it may still not fit. @throws NotFound, Conflict */
export const retryConflict = (scope: Scope, pms: PmsDirectory, id: string): Promise<StoredConflict> =>
  atomically(scope, async (transaction) => {
    const conflict = await findConflict(transaction, id)
    refuseClosed(conflict)
    await retry(transaction, pms, conflict)
    const after = await findConflict(transaction, id)
    if (transaction.actor.type !== 'system') audit(transaction, 'booking.conflict_retried', id, after, null)
    return after
  })

async function retry(transaction: Transaction, pms: PmsDirectory, conflict: StoredConflict): Promise<void> {
  const { channel_target_id, calendar_feed_id } = conflict
  if (calendar_feed_id) return await retryImportedStays(transaction, calendar_feed_id, conflict.id)
  const target = channel_target_id ? await lookForTarget(transaction, channel_target_id) : undefined
  if (!target) throw new NotFound('booking conflict', conflict.id)
  const provider = pms.provider(target.config.provider ?? 'sandbox')
  const needsPlan = provider.hasPlans && !provider.roomHasTerms
  await applyPmsBooking(transaction, conflict.booking, { target, needsPlan, askedAt: null })
}

/** A person says that nothing is to be done, and why. @throws NotFound, Conflict */
export const dismiss = (scope: Scope, id: string, reason: string): Promise<StoredConflict> =>
  atomically(scope, async (transaction) => {
    const conflict = await dismissConflict(transaction, id, reason)
    const { channel_target_id, unit_id } = conflict
    if (channel_target_id) await calm(transaction, channel_target_id, [unit_id])
    else if (unit_id) await resolveImportAlert(transaction, unit_id)
    audit(transaction, 'booking.conflict_dismissed', id, conflict, reason)
    return conflict
  })

const audit = (
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
      actor: transaction.actor,
      changes: [
        { field: 'booking_conflict', before: id, after: conflict.status },
        ...(reason === null ? [] : [{ field: 'dismissal_reason', before: null, after: reason }]),
      ],
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
