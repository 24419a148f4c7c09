import type { Transaction } from '#db/scope.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import { sellsByPlan, type PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { providerOf } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { applyPmsBooking, type ApplyOptions, type ApplyResult } from './apply-pms-booking.ts'

/** Applies a stored revision, which may fit by now, or belong in another unit. Undefined when its target is gone. */
export async function applyAgain(
  transaction: Transaction,
  pms: PmsDirectory,
  targetId: string,
  booking: PmsBooking,
  chosen?: ApplyOptions['chosen'],
): Promise<ApplyResult | undefined> {
  const target = await getTargetConnection(transaction, targetId)
  if (!target) return undefined
  return await applyPmsBooking(transaction, booking, {
    target,
    needsPlan: sellsByPlan(providerOf({ pms }, target)),
    requestedAt: null,
    ...(chosen && { chosen }),
  })
}
