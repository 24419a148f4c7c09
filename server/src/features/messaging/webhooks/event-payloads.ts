import { Type, type TSchema } from 'typebox'
import { Id, oneOf, text, Timestamp } from '#schema/fields.ts'
import { Alert } from '#features/messaging/alerts/alert.ts'
import { Booking } from '#features/reservations/bookings/booking.ts'
import { Event, testEventType, type eventTypes } from '#features/messaging/events/event.ts'
import { PaymentIntent } from '#features/reservations/payments/payment-intent.ts'
import { PaymentRefund } from '#features/reservations/payments/payment-refund.ts'
import { Quote } from '#features/reservations/quotes/quote.ts'
import { BookingConflict } from '#features/distribution/pms-bookings/booking-conflict.ts'
import { ChannelListing } from '#features/distribution/channel-listings/channel-listing.ts'
import { ChannelTarget } from '#features/distribution/channel-targets/channel-target.ts'
import { CalendarUpdate } from '#features/inventory/calendar/record-calendar-event.ts'
import { RatePlan } from '#features/inventory/rate-plans/rate-plan.ts'
import { Space } from '#features/inventory/spaces/space.ts'
import { Unit } from '#features/inventory/units/unit.ts'
import { WebhookEndpoint } from './webhook-endpoint.ts'

/** The types of events that webhooks contain: those of the feed, and the test of an endpoint. */
type WebhookEventType = (typeof eventTypes)[number] | typeof testEventType

const {
  client_secret: _clientSecret,
  dispute: _dispute,
  ...intentOwn
} = PaymentIntent.properties as Record<string, TSchema>
const { secret: _secret, ...endpointOwn } = WebhookEndpoint.properties as Record<string, TSchema>

const booking = { booking: Booking }
const bookingChange = {
  ...booking,
  previous: Type.Optional(
    Type.Object(
      {},
      { description: 'The previous values of the members that changed; absent after an erasure.' },
    ),
  ),
}
const unit = { unit: Unit }
const space = { space: Space }
const rate_plan = { rate_plan: RatePlan }
const {
  last_synced_at: _syncedAt,
  error_message: _error,
  unit: _unit,
  ...listingFields
} = ChannelListing.properties
const { channel_target: _target, ...listingOwn } = listingFields
const listing = { channel_listing: Type.Object(listingOwn, { title: 'ChannelListingInEvent' }) }
const target = { channel_target: ChannelTarget }
const {
  booking: _booking,
  conflicts: _conflicts,
  unit: _conflictUnit,
  channel_target: _conflictTarget,
  calendar_feed: _conflictFeed,
  ...conflictOwn
} = BookingConflict.properties
const conflict = { booking_conflict: Type.Object(conflictOwn, { title: 'BookingConflictInEvent' }) }
const alert = { alert: Alert }
const payment_intent = { payment_intent: Type.Object(intentOwn, { title: 'PaymentIntentInEvent' }) }

const payloads: Record<WebhookEventType, Record<string, TSchema>> = {
  'booking.created': booking,
  'booking.updated': bookingChange,
  'booking.cancelled': bookingChange,
  'booking.deleted': booking,
  'booking.conflict': alert,
  'calendar_feed.held': alert,
  'calendar_feed.error': alert,
  'payment.succeeded': payment_intent,
  'payment.failed': payment_intent,
  'payment.refunded': { refund: PaymentRefund },
  'payment.disputed': alert,
  'refund.failed': alert,
  'quote.created': { quote: Quote },
  'space.created': space,
  'space.updated': space,
  'space.deleted': space,
  'unit.created': unit,
  'unit.updated': unit,
  'unit.deleted': unit,
  'rate_plan.created': rate_plan,
  'rate_plan.updated': rate_plan,
  'rate_plan.deleted': rate_plan,
  'calendar.updated': { calendar: CalendarUpdate },
  'target.created': target,
  'target.updated': target,
  'target.deleted': target,
  'target.error': alert,
  'listing.created': listing,
  'listing.updated': listing,
  'listing.deleted': listing,
  'listing.stale': alert,
  'sync.completed': {
    sync_status: Type.Object({
      channel_listing_id: Id,
      channel_target_id: Id,
      unit_id: Id,
      status: oneOf('completed'),
      last_synced_at: Timestamp,
    }),
  },
  'sync.failed': alert,
  'conflict.opened': conflict,
  'conflict.resolved': conflict,
  'conflict.dismissed': conflict,
  'alert.resolved': alert,
  'webhook.disabled': { webhook_endpoint: Type.Object(endpointOwn, { title: 'WebhookEndpointInEvent' }) },
  [testEventType]: { message: text(255, 'Says that this is a test.'), webhook_endpoint_id: Id },
}

const WebhookBody = Type.Object(
  { ...Event.properties, timestamp: Timestamp },
  {
    title: 'WebhookBody',
    description:
      'An event as the feed has it, sent to the endpoints that subscribe to it and signed as Standard Webhooks specifies; `timestamp` is `occurred_at` under its name in Standard Webhooks.',
  },
)

const eventDataSchema = (type: WebhookEventType): TSchema => Type.Object(payloads[type])

/** The requests that are sent to webhook endpoints: an OpenAPI path item for each type of event. */
export const describeWebhooks = (): Record<string, object> =>
  Object.fromEntries(
    (Object.keys(payloads) as WebhookEventType[]).map((type) => [
      type,
      {
        post: {
          operationId: `sends.${type}`,
          security: [],
          summary: `The event ${type}`,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  allOf: [WebhookBody, Type.Object({ type: oneOf(type), data: eventDataSchema(type) })],
                },
              },
            },
          },
          responses: { '2XX': { description: 'Received.' } },
        },
      },
    ]),
  )
