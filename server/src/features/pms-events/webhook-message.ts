import { Type, type Static } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text, word } from '#fields.ts'

export const messageStatuses = ['received', 'processed', 'ignored', 'failed'] as const
export type MessageStatus = (typeof messageStatuses)[number]

const fields = {
  id: Id,
  org_id: Id,
  account_id: Id,
  channel_target_id: Id,
  source: word(32, 'The provider that the target speaks to.'),
  kind: word(100, 'What it tells, such as `booking.created`; the job is named `pms.` and this.'),
  message_id: text(
    255,
    'What the sender calls it, else a digest. Copies with the same name have one effect.',
  ),
  status: oneOf(...messageStatuses),
  attempts: Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32' }),
  error_message: nullable(text(1_000, 'Why the last attempt failed.')),
  copies: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    format: 'int32',
    description: 'How often it arrived.',
  }),
  signed: Type.Boolean({ description: 'Whether the sender proved that it knows the secret.' }),
  occurred_at: nullable(Timestamp),
  received_at: Timestamp,
  processed_at: nullable(Timestamp),
}

/** What a PMS told by itself, and what became of it. */
export const WebhookMessage = Type.Object(fields, { title: 'WebhookMessage' })

export const WholeWebhookMessage = Type.Object(
  {
    ...fields,
    body: Type.Object({}, { description: 'As it came. Members that hold secrets or card data are masked.' }),
  },
  { title: 'WholeWebhookMessage' },
)

export const WebhookReceived = Type.Object({ received: Type.Boolean() }, { title: 'WebhookReceived' })
export type WebhookReceived = Static<typeof WebhookReceived>

/** A message that cannot be processed waits so long before the next attempt; after the last it has failed. */
export const waitsMs = [10_000, 30_000, 120_000, 600_000] as const
