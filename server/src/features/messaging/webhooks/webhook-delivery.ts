import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, identifier, Whole, whole } from '#schema/fields.ts'
import { eventTypes } from '#features/messaging/events/event.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

/** The delivery of one event to one endpoint. */
export const WebhookDelivery = Type.Object(
  {
    id: Id,
    org_id: Id,
    webhook_endpoint_id: Id,
    event_id: Id,
    event_type: identifier(64),
    status: oneOf(...deliveryStatuses),
    attempts: whole('Attempts since it was created or replayed; at most ten.'),
    replays: whole('How often it was replayed.'),
    next_attempt_at: nullable(Timestamp),
    last_attempt_at: nullable(Timestamp),
    response_status: nullable(Type.Integer({ minimum: 100, maximum: 999, format: 'int32' })),
    response_body: nullable(text(1_024, 'The beginning of the last response.')),
    duration_ms: nullable(Whole),
    error_message: nullable(text(255, 'Why the last attempt failed.')),
    delivered_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'WebhookDelivery', description: 'Kept for 90 days, as long as its event.' },
)

const period = { from: Timestamp, to: Timestamp }

export const WebhookReplayInput = Type.Object(
  {
    ...period,
    types: Type.Optional(
      Type.Array(oneOf(...eventTypes), {
        minItems: 1,
        maxItems: 50,
        description: 'Only these of the types that the endpoint subscribes to.',
      }),
    ),
    status: Type.Optional(oneOf('missing', 'failed', 'delivered')),
  },
  {
    title: 'WebhookReplayInput',
    additionalProperties: false,
    description:
      'Events that occurred from `from` until before `to`. Without a status, all of them. `missing` are those without a delivery, because the endpoint did not exist or was disabled; `failed` are also those that wait for their next attempt.',
    example: { from: '2026-05-01T00:00:00.000Z', to: '2026-05-02T00:00:00.000Z' },
  },
)
export type WebhookReplayInput = Static<typeof WebhookReplayInput>

export const WebhookReplay = Type.Object(
  {
    ...period,
    queued: whole('Number of events that are sent. Deliveries that are due already are not counted.'),
  },
  { title: 'WebhookReplay' },
)
