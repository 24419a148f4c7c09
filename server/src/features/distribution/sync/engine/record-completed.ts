import type { Transaction } from '#db/scope.ts'
import { hasSubscriber } from '#features/messaging/events/queries.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import type { Push } from '#features/distribution/sync/push.ts'

/**
 * Tells programs what the PMS has taken, if any of them wants to know: these would be most of all events, so the
 * price of nobody listening is one look for a whole round.
 */
export async function recordCompleted(
  transaction: Transaction,
  targetId: string,
  pushes: readonly Push[],
): Promise<void> {
  if (pushes.length === 0 || !(await hasSubscriber(transaction, 'sync.completed'))) return
  const last_synced_at = new Date().toISOString()
  await recordEvents(
    transaction,
    pushes.map(({ claim }) => ({
      type: 'sync.completed',
      accountId: claim.account_id,
      subjectId: claim.listing_id,
      data: {
        sync_status: {
          channel_listing_id: claim.listing_id,
          channel_target_id: targetId,
          unit_id: claim.unit_id,
          status: 'completed',
          last_synced_at,
        },
      },
    })),
  )
}
