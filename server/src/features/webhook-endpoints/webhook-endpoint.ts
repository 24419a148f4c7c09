import { randomBytes } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Id, Timestamp, echoes, nullable, oneOf, stamped, text } from '#fields.ts'
import { eventTypes } from '../events/event.ts'

export const endpointStatuses = ['active', 'disabled'] as const

const decided = {
  account_id: nullable({
    ...Id,
    description: 'Hears of this account only; null: of the whole organization.',
  }),
  url: Type.String({
    format: 'uri',
    pattern: '^https?://',
    minLength: 1,
    maxLength: 2_048,
    description: 'Called with POST. Answer with 2xx within 15 seconds; redirects are not followed.',
  }),
  description: nullable(text(255)),
  event_types: Type.Array(oneOf(...eventTypes, '*'), {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'What it hears of; `*` is everything, also what comes later.',
  }),
  status: oneOf(...endpointStatuses),
}

/** An address of a partner that hears of events. */
export const WebhookEndpoint = Type.Object(
  {
    id: Id,
    org_id: Id,
    ...decided,
    disabled_reason: nullable({
      ...oneOf('gone', 'failing'),
      description: 'Why it was switched off by itself: it answered 410, or only failed for five days.',
    }),
    secret: nullable(
      text(255, 'Verifies the signatures (Standard Webhooks). Shown once, when it is made; null elsewhere.'),
    ),
    last_delivery_at: nullable(Timestamp),
    failing_since: nullable(Timestamp),
    ...stamped,
  },
  {
    title: 'WebhookEndpoint',
    description:
      'Called for each event, signed by the rules of Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), with `{id, type, timestamp, data}`. An event may come more than once, with the same id, and events may come in any order.',
  },
)

const { url, event_types, ...rest } = decided
const optional = Type.Partial(Type.Object(rest)).properties
const repeated = {
  ...echoes('id', 'org_id', 'disabled_reason', 'secret', 'last_delivery_at', 'failing_since'),
  ...echoes('created_at', 'updated_at'),
}

export const WebhookEndpointInput = Type.Object(
  { url, event_types, ...optional, ...repeated },
  {
    title: 'WebhookEndpointInput',
    additionalProperties: false,
    example: {
      url: 'https://partner.example/webhooks',
      event_types: ['booking.created', 'booking.cancelled'],
    },
  },
)
export const WebhookEndpointPatch = Type.Object(
  { url: Type.Optional(url), event_types: Type.Optional(event_types), ...optional, ...repeated },
  {
    title: 'WebhookEndpointPatch',
    additionalProperties: false,
    example: { description: 'Key boxes' },
  },
)
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>
export type WebhookEndpointPatch = Static<typeof WebhookEndpointPatch>
export type EndpointFields = Pick<Static<typeof WebhookEndpoint>, keyof typeof decided>

/** The whole endpoint of a POST or PUT: what the body leaves out becomes the default. */
export const completeEndpoint = ({
  account_id,
  url,
  description,
  event_types,
  status,
}: WebhookEndpointInput): EndpointFields => ({
  account_id: account_id ?? null,
  url,
  description: description ?? null,
  event_types,
  status: status ?? 'active',
})

export const patched = (current: EndpointFields, patch: WebhookEndpointPatch): EndpointFields => ({
  account_id: patch.account_id === undefined ? current.account_id : patch.account_id,
  url: patch.url ?? current.url,
  description: patch.description === undefined ? current.description : patch.description,
  event_types: patch.event_types ?? current.event_types,
  status: patch.status ?? current.status,
})

export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Where a secret is sealed for: both columns hold the same kind, because one moves into the other. */
export const placeOf = (orgId: string, endpointId: string) =>
  `${orgId} webhook_endpoints ${endpointId} secret`
