import { sql } from '#db/sql.ts'
import { first, type Scope } from '#db/scope.ts'
import { wasImported } from './imported-stay.ts'
import type { EventRow, NotificationKind, NotifiedType } from './notification.ts'
import {
  endpointData,
  type AlertData,
  type BookingData,
  type DisputeData,
  type EventEndpoint,
  type PaymentData,
  type TemplateData,
} from './template.ts'

/** The notification that an event causes. */
export interface EventNotification {
  readonly kind: NotificationKind
  readonly data: TemplateData
  readonly subjectId: string | null
  /** Null when the guest is not notified. */
  readonly guestEmail: string | null
}

/** Null when the event causes no notification. A kind without a case does not compile. */
export async function notificationForEvent(
  scope: Scope,
  organization: string,
  event: EventRow,
): Promise<EventNotification | null> {
  const { data } = event
  const type = event.type as NotifiedType
  const { booking, alert } = data as { booking?: EventBooking; alert?: EventAlert }
  switch (type) {
    case 'booking.created':
    case 'booking.updated':
    case 'booking.cancelled': {
      const previous = data['previous'] as Record<string, unknown> | undefined
      const kind = booking && bookingNotificationKind(type, booking, previous)
      if (!kind || (await wasImported(scope, booking, previous))) return null
      return await bookingNotification(scope, organization, kind, booking)
    }
    case 'payment.failed':
    case 'payment.refunded':
      return await paymentNotification(scope, organization, type, event)
    case 'payment.disputed':
      return await disputeNotification(scope, organization, alert)
    case 'webhook.disabled': {
      const endpoint = endpointData(organization, data['webhook_endpoint'] as EventEndpoint)
      return { kind: type, data: endpoint, subjectId: null, guestEmail: null }
    }
    case 'booking.conflict':
    case 'calendar_feed.held':
    case 'calendar_feed.error':
    case 'refund.failed':
    case 'sync.failed':
    case 'listing.stale':
    case 'target.error':
    case 'member.identity_conflict':
      return alert ? await alertNotification(scope, organization, type, alert) : null
  }
}

interface EventBooking {
  id: string
  unitId: string
  guestName: string
  guestEmail: string | null
  guests: number
  rooms: number
  arrival: string
  departure: string
  totalCents: number | null
  currency: string
  status: string
  source: string
  quoteId: string | null
  createdAt: string
  updatedAt: string
}

/** Guests are notified when one of these members changes; other changes concern the operator only. */
const relevantMembers = [
  'unitId',
  'arrival',
  'departure',
  'guests',
  'rooms',
  'totalCents',
  'guestEmail',
] as const

export function bookingNotificationKind(
  type: string,
  { status }: Pick<EventBooking, 'status'>,
  previous: Readonly<Record<string, unknown>> = {},
): NotificationKind | null {
  // Deleting has this type too. Of a booking that had ended, or was never confirmed, no one is notified.
  if (type === 'booking.cancelled')
    return ['confirmed', 'checked_in'].includes((previous['status'] ?? status) as string) ? type : null
  if (status !== 'confirmed') return null
  if (type === 'booking.created' || previous['status'] === 'pending') return 'booking.confirmed'
  const hasChanged =
    relevantMembers.some((member) => member in previous) || previous['status'] === 'cancelled'
  return hasChanged ? 'booking.changed' : null
}

async function bookingNotification(
  scope: Scope,
  organization: string,
  kind: NotificationKind,
  booking: EventBooking,
): Promise<EventNotification> {
  const unit = await findUnit(scope, booking.unitId)
  const data: BookingData = {
    organization,
    guestName: booking.guestName,
    unitName: unit?.unit_name ?? '–',
    spaceName: unit?.space_name ?? organization,
    address: unit?.address ?? null,
    checkIn: booking.arrival,
    checkOut: booking.departure,
    guests: booking.guests,
    rooms: booking.rooms,
    totalCents: booking.totalCents,
    currency: booking.currency,
    bookingId: booking.id,
    status: booking.status,
  }
  // The channel that sold the stay writes to the guest; a second confirmation would confuse them.
  const guestEmail = booking.source === 'pms' ? null : booking.guestEmail
  return { kind, data, subjectId: booking.id, guestEmail }
}

interface EventPayment {
  amount: number
  currency: string
}

async function paymentNotification(
  scope: Scope,
  organization: string,
  kind: 'payment.failed' | 'payment.refunded',
  event: EventRow,
): Promise<EventNotification | null> {
  const { refund, payment_intent } = event.data as Record<string, EventPayment | undefined>
  const paid = refund ?? payment_intent
  if (!paid) return null
  const data = await paymentData(scope, organization, event.subject_id, paid)
  return { kind, data, subjectId: null, guestEmail: null }
}

async function paymentData(
  scope: Scope,
  organization: string,
  intentId: string | null,
  { amount, currency }: EventPayment,
): Promise<PaymentData> {
  const booking = intentId === null ? undefined : await findPaidBooking(scope, intentId)
  const unit = booking && (await findUnit(scope, booking.unit_id))
  return {
    organization,
    guestName: booking?.guest_name ?? null,
    unitName: unit?.unit_name ?? null,
    bookingId: booking?.id ?? null,
    amountCents: amount,
    currency,
  }
}

interface EventDispute extends EventPayment {
  payment_intent_id: string
  status: DisputeData['status']
  reason: string
  respond_by: string | null
}

/** Of the dispute that caused the event, which its alert names first. */
async function disputeNotification(
  scope: Scope,
  organization: string,
  alert: EventAlert | undefined,
): Promise<EventNotification | null> {
  const dispute = alert?.details.disputes?.[0]
  if (!dispute) return null
  const { status, reason, respond_by: respondBy } = dispute
  const payment = await paymentData(scope, organization, dispute.payment_intent_id, dispute)
  const data: DisputeData = { ...payment, status, reason, respondBy }
  return { kind: 'payment.disputed', data, subjectId: null, guestEmail: null }
}

interface EventAlert {
  unit_id: string | null
  channel_target_id: string | null
  message: string
  hint: string
  details: { disputes?: readonly EventDispute[] }
  first_at: string
}

async function alertNotification(
  scope: Scope,
  organization: string,
  kind: NotificationKind,
  alert: EventAlert,
): Promise<EventNotification> {
  const unit = alert.unit_id ? await findUnit(scope, alert.unit_id) : undefined
  const data: AlertData = {
    organization,
    unitName: unit?.unit_name ?? null,
    spaceName: unit?.space_name ?? null,
    targetName: alert.channel_target_id ? await findTargetName(scope, alert.channel_target_id) : null,
    message: alert.message,
    hint: alert.hint,
    since: alert.first_at,
  }
  return { kind, data, subjectId: null, guestEmail: null }
}

const findUnit = (scope: Scope, unitId: string) =>
  first(
    scope,
    sql<{ unit_name: string; space_name: string; address: string | null }>`
      select
        unit.name as unit_name,
        space.name as space_name,
        nullif(concat_ws(', ', space.address, nullif(concat_ws(' ', space.zip, space.city), '')), '') as address
      from units unit
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      where unit.org_id = ${scope.orgId} and unit.id = ${unitId}`,
  )

/** The booking of a payment. Locked like the event, since it has the name of the guest. */
const findPaidBooking = (scope: Scope, intentId: string) =>
  first(
    scope,
    sql<{ id: string; guest_name: string; unit_id: string }>`
      select booking.id, booking.guest_name, booking.unit_id
      from payment_intents intent
      join bookings booking
        on booking.org_id = intent.org_id
        and booking.id = intent.booking_id
      where intent.org_id = ${scope.orgId} and intent.id = ${intentId}
      for share of booking`,
  )

async function findTargetName(scope: Scope, targetId: string): Promise<string | null> {
  const statement = sql<{ name: string }>`
    select name from channel_targets where org_id = ${scope.orgId} and id = ${targetId}`
  return (await first(scope, statement))?.name ?? null
}
