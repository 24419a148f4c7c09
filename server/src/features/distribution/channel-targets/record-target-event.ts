import type { Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'

/** Records the event, and notifies the streams, that a target was created, changed or deleted. */
export function recordTargetEvent(
  transaction: Transaction,
  type: 'target.created' | 'target.updated' | 'target.deleted',
  { json }: Pick<StoredRecord, 'json'>,
): Promise<void> {
  const channel_target = JSON.parse(json) as { id: string; account_id: string }
  const { id, account_id } = channel_target
  return recordEvents(transaction, [{ type, accountId: account_id, subjectId: id, data: { channel_target } }])
}
