import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { hasFailedMessage } from './queries.ts'

/**
 * Completes the messages about bookings that failed before a poll that has applied all changes of bookings, and resolves
 * their alert: nothing is left to do for them.
 */
export const completeFailedMessages = (scope: Scope, targetId: string, polledAt: string) =>
  atomically(scope, async (transaction) => {
    const completed = await rows(
      transaction,
      sql`
        update webhook_messages
        set status = 'processed',
          error_message = null,
          processed_at = clock_timestamp()
        where org_id = ${transaction.orgId}
          and channel_target_id = ${targetId}
          and status = 'failed'
          and kind in ('booking.created', 'booking.updated', 'booking.cancelled')
          and received_at < ${polledAt}::timestamptz
        returning id`,
    )
    if (completed.length > 0) await resolveMessageAlert(transaction, targetId)
  })

/** Resolves the alert about the messages of a target, unless one of them has failed. */
export async function resolveMessageAlert(transaction: Transaction, targetId: string): Promise<void> {
  if (!(await hasFailedMessage(transaction, targetId)))
    await resolveAlerts(transaction, 'sync.failed', { targetId, itself: true })
}
