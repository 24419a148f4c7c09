import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, word } from '#fields.ts'
import { eventTypes } from '../events/event.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

const Whole = Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32' })

/** One event for one endpoint, with what came of it. */
export const WebhookDelivery = Type.Object(
  {
    id: Id,
    org_id: Id,
    webhook_endpoint_id: Id,
    event_id: Id,
    event_type: word(64),
    status: oneOf(...deliveryStatuses),
    attempts: { ...Whole, description: 'Since it was made or replayed; the tenth is the last.' },
    replays: { ...Whole, description: 'How often it was sent again on demand.' },
    next_attempt_at: nullable(Timestamp),
    last_attempt_at: nullable(Timestamp),
    response_status: nullable(Type.Integer({ minimum: 100, maximum: 999, format: 'int32' })),
    response_body: nullable(text(1_024, 'The beginning of the last answer.')),
    duration_ms: nullable(Whole),
    error_message: nullable(text(255, 'Why the last attempt failed.')),
    delivered_at: nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'WebhookDelivery', description: 'Kept as long as its event, 90 days.' },
)

const period = { from: Timestamp, to: Timestamp }

export const WebhookReplayInput = Type.Object(
  {
    ...period,
    types: Type.Optional(
      Type.Array(oneOf(...eventTypes), {
        minItems: 1,
        maxItems: 50,
        description: 'Only these of the types that the endpoint wants.',
      }),
    ),
    status: Type.Optional(oneOf('missing', 'failed', 'delivered')),
  },
  {
    title: 'WebhookReplayInput',
    additionalProperties: false,
    description:
      'Events that happened from `from` until before `to`. Without a status all of them; `missing` are those that no delivery was made of, because the endpoint was not there or switched off.',
    example: { from: '2026-05-01T00:00:00.000Z', to: '2026-05-02T00:00:00.000Z' },
  },
)
export type WebhookReplayInput = Static<typeof WebhookReplayInput>

export const WebhookReplay = Type.Object(
  {
    ...period,
    queued: { ...Whole, description: 'Events that are sent; what is on its way already goes on as it is.' },
  },
  { title: 'WebhookReplay' },
)
