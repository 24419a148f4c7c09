import { Type, type TSchema } from 'typebox'
import { Id, oneOf, Timestamp } from '#fields.ts'
import { Alert } from '../alerts/alert.ts'
import { Booking } from '../bookings/booking.ts'
import type { eventTypes } from '../events/event.ts'
import { PaymentIntent } from '../payments/payment-intent.ts'
import { PaymentRefund } from '../payments/payment-refund.ts'
import { Space } from '../spaces/space.ts'
import { Unit } from '../units/unit.ts'
import { WebhookEndpoint } from './webhook-endpoint.ts'

/** What a webhook and the event feed carry as `data`, for each type of event. */
type SentType = (typeof eventTypes)[number]

const { space: _space, ...unitOwn } = Unit.properties
const { client_secret: _clientSecret, ...intentOwn } = PaymentIntent.properties as Record<string, TSchema>
const { secret: _secret, ...endpointOwn } = WebhookEndpoint.properties as Record<string, TSchema>

const booking = { booking: Booking }
const bookingChange = {
  ...booking,
  previous: Type.Optional(
    Type.Object(
      {},
      { description: 'The members that changed, as they were before; absent after an erasure.' },
    ),
  ),
}
const unit = { unit: Type.Object(unitOwn) }
const space = { space: Space }
const alert = { alert: Alert }
const payment_intent = { payment_intent: Type.Object(intentOwn) }

const data: Record<SentType, Record<string, TSchema>> = {
  'booking.created': booking,
  'booking.updated': bookingChange,
  'booking.cancelled': bookingChange,
  'booking.conflict': alert,
  'calendar_feed.held': alert,
  'payment.succeeded': payment_intent,
  'payment.failed': payment_intent,
  'payment.refunded': { refund: PaymentRefund },
  'space.created': space,
  'space.updated': space,
  'space.deleted': space,
  'unit.created': unit,
  'unit.updated': unit,
  'unit.deleted': unit,
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
  'listing.stale': alert,
  'target.error': alert,
  'webhook.disabled': { webhook_endpoint: Type.Object(endpointOwn) },
}

export const eventData = (type: SentType): TSchema => Type.Object(data[type])

/** The requests that we send, for the contract: a path item for each type of event. */
export const webhookRequests = (): Record<string, object> =>
  Object.fromEntries(
    (Object.keys(data) as SentType[]).map((type) => [
      type,
      {
        post: {
          operationId: `sends.${type}`,
          security: [],
          summary: `Tells of ${type}`,
          description:
            'Sent to each webhook endpoint that asks for this type, signed as Standard Webhooks say. Any status from 200 to 299 counts as received.',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: Type.Object({
                  id: Id,
                  type: oneOf(type),
                  timestamp: Timestamp,
                  data: eventData(type),
                }),
              },
            },
          },
          responses: { '2XX': { description: 'Received.' } },
        },
      },
    ]),
  )
