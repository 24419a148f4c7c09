import type { Transaction } from '#db/scope.ts'
import { hasSubscriber } from '#features/messaging/events/queries.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import type { Push } from '#features/distribution/sync/push.ts'

/**
 * Records `sync.completed` events only while an endpoint subscribes to them, because they would be most of all
 * events. It costs one query per round when there is no subscriber.
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
