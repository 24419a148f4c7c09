import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { enqueue } from '#queue/job.ts'
import type { EventType } from '#features/messaging/events/event.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { endedBeforeStay, takesRooms, type Booking } from './booking.ts'
import { hasPayments } from './queries.ts'
import { ConfirmPaid, ExpireHold, SettleCancellation, WithdrawRequests } from './jobs.ts'

/** A booking before and after a change; null before it is created and after it is deleted. */
export interface BookingTransition {
  readonly before: Booking | null
  readonly after: Booking | null
  /** No listing sells the unit, so nothing is pushed. */
  readonly unlisted?: boolean
}

/** Records what follows from a change, in its transaction: sync, audit, events, the expiry of a hold, refunds. */
export async function recordChange(transaction: Transaction, transition: BookingTransition): Promise<void> {
  audit(transaction, transition)
  await Promise.all([
    requestNightSync(transaction, transition),
    publishEvent(transaction, transition),
    scheduleExpiry(transaction, transition),
    settlePayments(transaction, transition),
    withdrawExcess(transaction, transition),
    confirmIfPaid(transaction, transition),
  ])
}

const ifTakesRooms = (booking: Booking | null) => (booking && takesRooms(booking.status) ? booking : null)

async function requestNightSync(
  transaction: Transaction,
  { before, after, unlisted }: BookingTransition,
): Promise<void> {
  if (unlisted) return
  const [old, now] = [ifTakesRooms(before), ifTakesRooms(after)]
  if (old && now && syncedMembers.every((member) => old[member] === now[member])) return
  const taken = [old, now].filter((one) => one !== null)
  if (taken.length === 0) return
  // In the westernmost time zone it is still the day before.
  const yesterday = Math.floor(Date.now() / 86_400_000) - 1
  const from = Math.max(yesterday, Math.min(...taken.map(({ arrival }) => nightOf(arrival))))
  const to = Math.max(...taken.map(({ departure }) => nightOf(departure))) - 1
  if (to < from) return
  const unitIds = [...new Set(taken.map(({ unitId }) => unitId))]
  await requestSync(transaction, { unitIds, nights: { from: dateOf(from), to: dateOf(to) } }, 'change')
}
const syncedMembers = ['unitId', 'arrival', 'departure', 'rooms'] as const

/** The audit log is kept for ever, so it never shows guest data: only that it changed. */
const auditedFields = [
  'unitId',
  'ratePlanId',
  'quoteId',
  'guests',
  'rooms',
  'checkIn',
  'checkOut',
  'totalCents',
  'currency',
  'status',
  'source',
  'cancellationReason',
  'externalId',
] as const
const redactedFields = ['guestName', 'guestEmail', 'guestPhone', 'notes', 'pms_notes'] as const

function audit(transaction: Transaction, { before, after }: BookingTransition): void {
  const booking = (after ?? before)!
  const changes = [
    { field: 'booking', before: before?.id ?? null, after: after?.id ?? null },
    ...auditedFields.map((field) => ({
      field,
      before: before?.[field] ?? null,
      after: after?.[field] ?? null,
    })),
    ...redactedFields
      .filter((field) => before && after && before[field] !== after[field])
      .map((field) => ({ field, before: 'not shown', after: 'not shown' })),
  ].filter((one) => one.field === 'booking' || one.before !== one.after || one.before === 'not shown')
  addAuditEntries(transaction, [
    {
      account_id: booking.account_id,
      unit_id: booking.unitId,
      ...(booking.channelTargetId && { channel_target_id: booking.channelTargetId }),
      action: auditAction(before, after),
      trigger: 'change',
      changes,
    },
  ])
}

function auditAction(before: Booking | null, after: Booking | null): string {
  if (!before) return 'booking.created'
  if (!after) return 'booking.deleted'
  return before.status === after.status ? 'booking.changed' : `booking.${after.status}`
}

/** `previous` has the old values of the changed members, so that a receiver can tell a confirmation from a move. */
async function publishEvent(transaction: Transaction, { before, after }: BookingTransition): Promise<void> {
  const booking = (after ?? before)!
  const previous =
    before && after
      ? Object.fromEntries(
          Object.entries(before).filter(
            ([name, value]) => name !== 'updatedAt' && after[name as keyof Booking] !== value,
          ),
        )
      : undefined
  const data = { booking, ...(previous && { previous }) }
  await recordEvents(
    transaction,
    eventTypes(before, after).map((type) => ({
      type,
      accountId: booking.account_id,
      subjectId: booking.id,
      data,
    })),
  )
}

function eventTypes(before: Booking | null, after: Booking | null): EventType[] {
  if (!before) return [after?.status === 'cancelled' ? 'booking.cancelled' : 'booking.created']
  // Deleting cancels the stay, unless it had ended before.
  if (!after)
    return endedBeforeStay(before.status) ? ['booking.deleted'] : ['booking.cancelled', 'booking.deleted']
  const isCancellation = after.status === 'cancelled' && before.status !== 'cancelled'
  return [isCancellation ? 'booking.cancelled' : 'booking.updated']
}

async function scheduleExpiry(transaction: Transaction, { before, after }: BookingTransition): Promise<void> {
  const at = after?.holdExpiresAt
  if (!at || at === before?.holdExpiresAt) return
  await enqueue(transaction, ExpireHold, [{ payload: { bookingId: after.id }, at: new Date(at) }])
}

/** When a booking ends before its stay, open payments are cancelled and the others refunded by the policy. */
async function settlePayments(transaction: Transaction, { before, after }: BookingTransition): Promise<void> {
  if (!before || isOff(before) || !isOff(after)) return
  if (!(await hasPayments(transaction, before.id))) return
  await enqueue(transaction, SettleCancellation, [{ payload: { bookingId: before.id } }])
}

/** Open payments may ask for more than a lower price, or in another currency. */
async function withdrawExcess(transaction: Transaction, { before, after }: BookingTransition): Promise<void> {
  if (!before || !after || isOff(after)) return
  if (after.totalCents >= before.totalCents && after.currency === before.currency) return
  if (!(await hasPayments(transaction, before.id))) return
  await enqueue(transaction, WithdrawRequests, [{ payload: { bookingId: before.id } }])
}

/** A lower price may have been paid already. */
async function confirmIfPaid(transaction: Transaction, { before, after }: BookingTransition): Promise<void> {
  if (before?.status !== 'pending' || after?.status !== 'pending' || after.totalCents >= before.totalCents)
    return
  await enqueue(transaction, ConfirmPaid, [{ payload: { bookingId: after.id } }])
}

const isOff = (booking: Booking | null) => !booking || endedBeforeStay(booking.status)
