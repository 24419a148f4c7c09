import { randomBytes } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Id, Timestamp, readOnlyFields, nullable, oneOf, timestampFields, text } from '#schema/fields.ts'
import { eventTypes } from '#features/messaging/events/event.ts'

export const endpointStatuses = ['active', 'disabled'] as const

const writableFields = {
  account_id: nullable({
    ...Id,
    description: 'Receives events of this account only; null means all accounts of the organization.',
  }),
  url: Type.String({
    format: 'uri',
    pattern: '^https?://',
    minLength: 1,
    maxLength: 2_048,
    description: 'Called with POST. Respond with 2xx within 15 seconds. Redirects are not followed.',
  }),
  description: nullable(text(255)),
  event_types: Type.Array(oneOf(...eventTypes, '*'), {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'The types of events that it receives. `*` means all types, including future ones.',
  }),
  status: oneOf(...endpointStatuses),
}

/** An address of a partner that receives events. */
export const WebhookEndpoint = Type.Object(
  {
    id: Id,
    org_id: Id,
    ...writableFields,
    disabled_reason: nullable({
      ...oneOf('gone', 'failing'),
      description:
        'Why it was disabled automatically: it responded with 410, or failed every delivery for five days.',
    }),
    secret: nullable(
      text(
        255,
        'Verifies the signatures (Standard Webhooks). Shown once, when it is generated; null elsewhere.',
      ),
    ),
    last_delivery_at: nullable(Timestamp),
    failing_since: nullable(Timestamp),
    ...timestampFields,
  },
  {
    title: 'WebhookEndpoint',
    description:
      'Called for each event with `{id, type, timestamp, data}`, signed as Standard Webhooks specifies (`webhook-id`, `webhook-timestamp`, `webhook-signature`). An event may arrive more than once, with the same id, and events may arrive in any order.',
  },
)

const { url, event_types, ...rest } = writableFields
const optional = Type.Partial(Type.Object(rest)).properties
const readOnly = {
  ...readOnlyFields('id', 'org_id', 'disabled_reason', 'secret', 'last_delivery_at', 'failing_since'),
  ...readOnlyFields('created_at', 'updated_at'),
}

export const WebhookEndpointInput = Type.Object(
  { url, event_types, ...optional, ...readOnly },
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
  { url: Type.Optional(url), event_types: Type.Optional(event_types), ...optional, ...readOnly },
  {
    title: 'WebhookEndpointPatch',
    additionalProperties: false,
    example: { description: 'Key boxes' },
  },
)
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>
export type WebhookEndpointPatch = Static<typeof WebhookEndpointPatch>
export type EndpointFields = Pick<Static<typeof WebhookEndpoint>, keyof typeof writableFields>

/** The complete endpoint of a POST or PUT. Members that the body leaves out get their default. */
export const withDefaults = ({
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

export const applyPatch = (current: EndpointFields, patch: WebhookEndpointPatch): EndpointFields => ({
  account_id: patch.account_id === undefined ? current.account_id : patch.account_id,
  url: patch.url ?? current.url,
  description: patch.description === undefined ? current.description : patch.description,
  event_types: patch.event_types ?? current.event_types,
  status: patch.status ?? current.status,
})

export const generateSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** The place that a secret is sealed for. Both columns use the same, because a secret moves from one to the other. */
export const placeOf = (orgId: string, endpointId: string) =>
  `${orgId} webhook_endpoints ${endpointId} secret`
