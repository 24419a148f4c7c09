import type { Actor, Transaction } from '#db/scope.ts'
import { parseTraceparent } from '#telemetry.ts'
import { bookingText } from '../bookings/queries.ts'
import { recordEvents } from '../events/record-events.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { overwriteGuests, overwriteHomeless, type Forgotten } from './forget-queries.ts'

interface Manner {
  readonly actor: Actor
  /** Whether partners hear of it: whoever keeps copies shall forget, too. */
  readonly tells: boolean
}

/** Takes the guest out of these bookings, with the history and the events of it. Answers how many had one. */
export async function forgetGuests(
  transaction: Transaction,
  bookingIds: readonly string[],
  { actor, tells }: Manner,
): Promise<number> {
  const forgotten = await overwriteGuests(transaction, bookingIds)
  if (forgotten.length === 0) return 0
  if (tells) await tell(transaction, forgotten)
  else await overwriteHomeless(transaction, bookingIds)
  addAuditEntries(
    transaction,
    forgotten.map(({ id, account_id, unit_id, channel_target_id }) => ({
      account_id,
      unit_id,
      ...(channel_target_id && { channel_target_id }),
      action: tells ? 'booking.guest_erased' : 'booking.guest_expired',
      trigger: tells ? 'manual' : 'schedule',
      actor,
      changes: [
        { field: 'booking', before: id, after: id },
        { field: 'guest', before: 'not shown', after: null },
      ],
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    })),
  )
  return forgotten.length
}

/** Without what it was before: that is to be forgotten. Nobody is written to because of it. */
const tell = (transaction: Transaction, forgotten: readonly Forgotten[]) =>
  recordEvents(
    transaction,
    forgotten
      .filter(({ deleted }) => !deleted)
      .map((one) => ({
        type: 'booking.updated' as const,
        accountId: one.account_id,
        subjectId: one.id,
        data: { booking: JSON.parse(bookingText(one)) as object },
      })),
  )
