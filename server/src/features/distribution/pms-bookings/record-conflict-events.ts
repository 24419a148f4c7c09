import type { Transaction } from '#db/scope.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'

export interface ChangedConflict {
  readonly json: string
}

/** Records the events of conflicts, and notifies the streams. The booking of the PMS is left out: it names a guest. */
export const recordConflictEvents = (
  transaction: Transaction,
  type: 'conflict.opened' | 'conflict.resolved' | 'conflict.dismissed',
  conflicts: readonly ChangedConflict[],
): Promise<void> =>
  recordEvents(
    transaction,
    conflicts.map(({ json }) => {
      const {
        booking: _,
        conflicts: _conflicts,
        unit: _unit,
        channel_target: _target,
        calendar_feed: _feed,
        ...booking_conflict
      } = JSON.parse(json) as ConflictJson
      const { id, account_id } = booking_conflict
      return { type, accountId: account_id, subjectId: id, data: { booking_conflict } }
    }),
  )

/** An open conflict that was retried, or has other dates now, is published to streams only. */
export async function recordOpenConflicts(
  transaction: Transaction,
  conflicts: readonly (ChangedConflict & { readonly id: string; readonly is_new: boolean })[],
): Promise<void> {
  if (conflicts.length === 0) return
  notifyChanges(transaction, { booking_conflict: conflicts.map(({ id }) => id) })
  await recordConflictEvents(
    transaction,
    'conflict.opened',
    conflicts.filter(({ is_new }) => is_new),
  )
}

interface ConflictJson {
  readonly id: string
  readonly account_id: string
  readonly booking: object
  readonly conflicts: object
  readonly unit?: object | null
  readonly channel_target?: object | null
  readonly calendar_feed?: object | null
}
