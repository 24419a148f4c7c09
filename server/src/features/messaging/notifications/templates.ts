import { endpointData } from './template.ts'
import type { Audience, NotificationKind } from './notification.ts'
import type { AlertData, BookingData, DisputeData, PaymentData, TemplateData, Template } from './template.ts'
import { bookingCancelledToGuest, bookingCancelledToOperator } from './templates/booking-cancelled.ts'
import { bookingChangedToGuest, bookingChangedToOperator } from './templates/booking-changed.ts'
import { bookingConfirmedToGuest, bookingConfirmedToOperator } from './templates/booking-confirmed.ts'
import { bookingConflict } from './templates/booking-conflict.ts'
import { calendarImportError } from './templates/calendar-error.ts'
import { calendarImportHeld } from './templates/calendar-held.ts'
import { identityConflict } from './templates/identity-conflict.ts'
import { listingStale } from './templates/listing-stale.ts'
import { paymentDisputed } from './templates/payment-disputed.ts'
import { paymentFailed } from './templates/payment-failed.ts'
import { paymentRefunded } from './templates/payment-refunded.ts'
import { refundFailed } from './templates/refund-failed.ts'
import { syncFailed } from './templates/sync-failed.ts'
import { targetError } from './templates/target-error.ts'
import { testMessage } from './templates/test-message.ts'
import { webhookDisabled } from './templates/webhook-disabled.ts'

/** The templates by kind and audience. Guests are not notified of kinds without a template for them. */
const templates = {
  'booking.confirmed': { operator: bookingConfirmedToOperator, guest: bookingConfirmedToGuest },
  'booking.changed': { operator: bookingChangedToOperator, guest: bookingChangedToGuest },
  'booking.cancelled': { operator: bookingCancelledToOperator, guest: bookingCancelledToGuest },
  'booking.conflict': { operator: bookingConflict },
  'calendar_feed.held': { operator: calendarImportHeld },
  'calendar_feed.error': { operator: calendarImportError },
  'payment.failed': { operator: paymentFailed },
  'payment.refunded': { operator: paymentRefunded },
  'payment.disputed': { operator: paymentDisputed },
  'refund.failed': { operator: refundFailed },
  'sync.failed': { operator: syncFailed },
  'listing.stale': { operator: listingStale },
  'target.error': { operator: targetError },
  'webhook.disabled': { operator: webhookDisabled },
  'member.identity_conflict': { operator: identityConflict },
  test: { operator: testMessage },
} as const

/** The template of a kind. Its data has the type that `event-notification.ts` builds for that kind. */
export function templateFor(kind: NotificationKind | 'test', audience: Audience): Template<TemplateData> {
  const found: { operator: unknown; guest?: unknown } = templates[kind]
  return (found[audience] ?? found.operator) as Template<TemplateData>
}

export const audiencesFor = (kind: NotificationKind): readonly Audience[] =>
  'guest' in templates[kind] ? ['operator', 'guest'] : ['operator']

const booking: BookingData = {
  organization: 'Casa Azul',
  guestName: 'Ada Lovelace',
  unitName: 'Garden studio',
  spaceName: 'Casa Azul Alfama',
  address: 'Rua dos Remédios 12, 1100-445 Lisboa',
  checkIn: '2027-07-01',
  checkOut: '2027-07-04',
  guests: 2,
  rooms: 1,
  totalCents: 36_000,
  currency: 'eur',
  bookingId: '5b0c1d2e-0000-4000-8000-000000000000',
  status: 'confirmed',
}
const payment: PaymentData = {
  organization: booking.organization,
  guestName: booking.guestName,
  unitName: booking.unitName,
  bookingId: booking.bookingId,
  amountCents: booking.totalCents!,
  currency: booking.currency,
}
const dispute: DisputeData = {
  ...payment,
  status: 'open',
  reason: 'product_not_received',
  respondBy: '2027-07-12T23:59:59.000Z',
}
const alert: AlertData = {
  organization: booking.organization,
  unitName: booking.unitName,
  spaceName: booking.spaceName,
  targetName: 'Main PMS',
  message: 'Garden studio: the PMS does not know the room RT-9.',
  hint: 'Check the mapping of the listing: the room may have been renamed or removed there.',
  since: '2027-06-30T09:41:00.000Z',
}
const endpoint = endpointData(booking.organization, {
  url: 'https://partner.example/webhooks',
  description: 'Key boxes',
  disabled_reason: 'failing',
  failing_since: alert.since,
})

/** Sample data for previews. */
export function sampleData(kind: NotificationKind): TemplateData {
  if (kind === 'booking.conflict') return alert
  if (kind === 'webhook.disabled') return endpoint
  if (kind === 'payment.disputed') return dispute
  if (kind.startsWith('booking.')) return booking
  return kind.startsWith('payment.') ? payment : alert
}
