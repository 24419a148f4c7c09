import type { Scope } from '#db/scope.ts'
import { endpointStory, type EndpointFacts } from './endpoint-story.ts'
import type { NotificationKind } from './notification.ts'
import type { AlertStory, BookingStory, PaymentStory, Story } from './stories.ts'
import { findPlace, findStay, findTargetName, wasDateOver, type Happened } from './story-queries.ts'

/** What of an event is told. `guest` is where the guest is reached, if the guest is told at all. */
export interface Telling {
  readonly kind: NotificationKind
  readonly story: Story
  readonly subjectId: string | null
  readonly guest: string | null
}

/** Null when nobody needs to know. */
export async function tellingOf(
  scope: Scope,
  organization: string,
  event: Happened,
): Promise<Telling | null> {
  if (event.type === 'webhook.disabled') {
    const story = endpointStory(organization, event.data['webhook_endpoint'] as EndpointFacts)
    return { kind: event.type, story, subjectId: null, guest: null }
  }
  const { booking, alert } = event.data as { booking?: BookingFacts; alert?: AlertFacts }
  if (event.type === 'booking.conflict' || !event.type.startsWith('booking.'))
    return event.type.startsWith('payment.')
      ? await paymentTelling(scope, organization, event)
      : alert
        ? await alertTelling(scope, organization, event.type as NotificationKind, alert)
        : null
  const previous = event.data['previous'] as Record<string, unknown> | undefined
  const kind = booking && kindOfBooking(event.type, booking, previous)
  if (!kind || (await wasImported(scope, booking, previous))) return null
  return await bookingTelling(scope, organization, kind, booking)
}

interface BookingFacts {
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

/**
 * A stay that had begun when a person entered it, or moved it there, was brought over from another system: its guest knows
 * of it. One that was quoted in time is new, although its day may have ended meanwhile.
 */
async function wasImported(
  scope: Scope,
  { unitId, source, quoteId, arrival, createdAt, updatedAt }: BookingFacts,
  previous: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  const isMoved = 'arrival' in previous
  if (quoteId !== null && !isMoved) return false
  const at = isMoved ? updatedAt : createdAt
  // Where the unit is, it may be the day after that of UTC.
  const mayBeOver = source !== 'pms' && arrival <= at.slice(0, 10)
  return mayBeOver && (await wasDateOver(scope, { unitId, date: arrival, at }))
}

/** What a guest wants to know of: the rest is between the operator and the books. */
const told = ['unitId', 'arrival', 'departure', 'guests', 'rooms', 'totalCents', 'guestEmail'] as const

export function kindOfBooking(
  type: string,
  { status }: Pick<BookingFacts, 'status'>,
  previous: Readonly<Record<string, unknown>> = {},
): NotificationKind | null {
  if (type === 'booking.cancelled')
    return (previous['status'] ?? status) === 'pending' ? null : 'booking.cancelled'
  if (status !== 'confirmed') return null
  if (type === 'booking.created' || previous['status'] === 'pending') return 'booking.confirmed'
  return told.some((member) => member in previous) || previous['status'] === 'cancelled'
    ? 'booking.changed'
    : null
}

async function bookingTelling(
  scope: Scope,
  organization: string,
  kind: NotificationKind,
  booking: BookingFacts,
): Promise<Telling> {
  const place = await findPlace(scope, booking.unitId)
  const story: BookingStory = {
    organization,
    guestName: booking.guestName,
    unitName: place?.unit_name ?? '–',
    spaceName: place?.space_name ?? organization,
    address: place?.address ?? null,
    checkIn: booking.arrival,
    checkOut: booking.departure,
    guests: booking.guests,
    totalCents: booking.totalCents,
    currency: booking.currency,
    bookingId: booking.id,
    status: booking.status,
  }
  // Whoever sold the stay writes to the guest: two confirmations in two voices would only confuse.
  const guest = booking.source === 'pms' ? null : booking.guestEmail
  return { kind, story, subjectId: booking.id, guest }
}

async function paymentTelling(scope: Scope, organization: string, event: Happened): Promise<Telling | null> {
  if (event.type !== 'payment.failed' && event.type !== 'payment.refunded') return null
  const { refund, payment_intent, payment } = event.data as Record<string, PaymentFacts | undefined>
  const paid = payment_intent ?? payment
  const amount = (event.type === 'payment.refunded' && refund?.amount) || (refund?.amount ?? paid?.amount)
  const currency = refund?.currency ?? paid?.currency
  if (amount === undefined || !currency) return null
  const bookingId = paid?.booking_id ?? refund?.booking_id ?? null
  const stay = bookingId ? await findStay(scope, bookingId) : undefined
  const place = stay && (await findPlace(scope, stay.unit_id))
  const story: PaymentStory = {
    organization,
    guestName: stay?.guest_name ?? null,
    unitName: place?.unit_name ?? null,
    bookingId,
    amountCents: amount,
    currency,
  }
  return { kind: event.type, story, subjectId: null, guest: null }
}

interface PaymentFacts {
  amount?: number
  currency?: string
  booking_id?: string | null
}

interface AlertFacts {
  unit_id: string | null
  channel_target_id: string | null
  message: string
  hint: string
  first_at: string
}

async function alertTelling(
  scope: Scope,
  organization: string,
  kind: NotificationKind,
  alert: AlertFacts,
): Promise<Telling> {
  const place = alert.unit_id ? await findPlace(scope, alert.unit_id) : undefined
  const story: AlertStory = {
    organization,
    unitName: place?.unit_name ?? null,
    spaceName: place?.space_name ?? null,
    targetName: alert.channel_target_id ? await findTargetName(scope, alert.channel_target_id) : null,
    message: alert.message,
    hint: alert.hint,
    since: alert.first_at,
  }
  return { kind, story, subjectId: null, guest: null }
}
