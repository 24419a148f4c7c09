import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#nights.ts'
import { enqueue } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry.ts'
import type { EventType } from '../events/event.ts'
import { recordEvents, type listenersTo } from '../events/record-events.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { takesRooms, type Booking } from './booking.ts'
import { hasPayments } from './queries.ts'
import { ExpireHold, SettleCancellation } from './booking-jobs.ts'

/** A booking before and after; null is no booking. */
export interface BookingStep {
  readonly before: Booking | null
  readonly after: Booking | null
  /** No listing sells the unit, so no PMS has to hear of it. */
  readonly unlisted?: boolean
  /** Which programs listen, where that was asked on the way. */
  readonly listeners?: ReturnType<typeof listenersTo> | undefined
}

/** What follows from every change, in its transaction: the PMS, the history, whoever listens, and the hold's end. */
export async function recordChange(transaction: Transaction, step: BookingStep): Promise<void> {
  audit(transaction, step)
  await Promise.all([
    pushNights(transaction, step),
    tell(transaction, step),
    endHold(transaction, step),
    settle(transaction, step),
  ])
}

const takenBy = (booking: Booking | null) => (booking && takesRooms(booking.status) ? booking : null)

async function pushNights(transaction: Transaction, { before, after, unlisted }: BookingStep): Promise<void> {
  if (unlisted) return
  const [old, now] = [takenBy(before), takenBy(after)]
  if (old && now && stayMembers.every((member) => old[member] === now[member])) return
  const taken = [old, now].filter((one) => one !== null)
  if (taken.length === 0) return
  // West of everybody it is still the day before.
  const yesterday = Math.floor(Date.now() / 86_400_000) - 1
  const from = Math.max(yesterday, Math.min(...taken.map(({ arrival }) => nightOf(arrival))))
  const to = Math.max(...taken.map(({ departure }) => nightOf(departure))) - 1
  if (to < from) return
  const unitIds = [...new Set(taken.map(({ unitId }) => unitId))]
  await requestSync(transaction, { unitIds, nights: { from: dateOf(from), to: dateOf(to) } }, 'change')
}
const stayMembers = ['unitId', 'arrival', 'departure', 'rooms'] as const

/** What the history shows of a booking. Of a guest it says only that something was changed: it is kept for ever. */
const shown = [
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
const hidden = ['guestName', 'guestEmail', 'guestPhone', 'notes', 'pms_notes'] as const

function audit(transaction: Transaction, { before, after }: BookingStep): void {
  const booking = (after ?? before)!
  const changes = [
    { field: 'booking', before: before?.id ?? null, after: after?.id ?? null },
    ...shown.map((field) => ({ field, before: before?.[field] ?? null, after: after?.[field] ?? null })),
    ...hidden
      .filter((field) => before && after && before[field] !== after[field])
      .map((field) => ({ field, before: 'not shown', after: 'not shown' })),
  ].filter((one) => one.field === 'booking' || one.before !== one.after || one.before === 'not shown')
  addAuditEntries(transaction, [
    {
      account_id: booking.account_id,
      unit_id: booking.unitId,
      ...(booking.channelTargetId && { channel_target_id: booking.channelTargetId }),
      action: actionOf(before, after),
      trigger: 'change',
      actor: transaction.actor,
      changes,
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
}

function actionOf(before: Booking | null, after: Booking | null): string {
  if (!before) return 'booking.created'
  if (!after) return 'booking.deleted'
  return before.status === after.status ? 'booking.changed' : `booking.${after.status}`
}

/** `previous` has the members that were different before, so that a reader can tell a confirmation from a move. */
async function tell(transaction: Transaction, { before, after, listeners }: BookingStep): Promise<void> {
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
  const type = eventOf(before, after)
  const event = { type, accountId: booking.account_id, subjectId: booking.id, data }
  await recordEvents(transaction, [event], listeners)
}

function eventOf(before: Booking | null, after: Booking | null): EventType {
  const isOver = !after || (after.status === 'cancelled' && before?.status !== 'cancelled')
  if (isOver) return 'booking.cancelled'
  return before ? 'booking.updated' : 'booking.created'
}

async function endHold(transaction: Transaction, { before, after }: BookingStep): Promise<void> {
  const at = after?.holdExpiresAt
  if (!at || at === before?.holdExpiresAt) return
  await enqueue(transaction, ExpireHold, [{ payload: { bookingId: after.id }, at: new Date(at) }])
}

/** However a booking ends before its time, nobody can pay for it any more, and who has paid gets back what the policy says. */
async function settle(transaction: Transaction, { before, after }: BookingStep): Promise<void> {
  if (!before || isOff(before) || !isOff(after)) return
  if (!(await hasPayments(transaction, before.id))) return
  await enqueue(transaction, SettleCancellation, [{ payload: { bookingId: before.id } }])
}

const isOff = (booking: Booking | null) =>
  !booking || ['cancelled', 'declined', 'expired'].includes(booking.status)
