import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, identifier, Whole } from '#schema/fields.ts'

export const messageStatuses = ['received', 'processed', 'ignored', 'failed'] as const
export type MessageStatus = (typeof messageStatuses)[number]

const fields = {
  id: Id,
  org_id: Id,
  account_id: Id,
  channel_target_id: Id,
  source: identifier(32, 'The provider of the target.'),
  kind: identifier(
    100,
    'The kind of event, such as `booking.created`. The job has the same name with the prefix `pms.`.',
  ),
  message_id: text(
    255,
    'The id of the sender, else a digest of the body. Copies with the same id have one effect.',
  ),
  status: oneOf(...messageStatuses),
  attempts: Whole,
  error_message: nullable(text(1_000, 'Why the last attempt failed.')),
  copies: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    format: 'int32',
    description: 'How often it was received.',
  }),
  signed: Type.Boolean({ description: 'Whether the message was signed with a known secret.' }),
  occurred_at: nullable(Timestamp),
  received_at: Timestamp,
  processed_at: nullable(Timestamp),
}

/** A message of a PMS, and the result of processing it. */
export const WebhookMessage = Type.Object(fields, { title: 'WebhookMessage' })

export const WholeWebhookMessage = Type.Object(
  {
    ...fields,
    body: Type.Object({}, { description: 'The body as received. Secrets and card data are masked.' }),
  },
  { title: 'WholeWebhookMessage' },
)

export const WebhookReceived = Type.Object({ received: Type.Boolean() }, { title: 'WebhookReceived' })
export type WebhookReceived = Static<typeof WebhookReceived>
