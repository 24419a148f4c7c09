import { randomUUID } from 'node:crypto'
import { address, cast, flag, object, text, type Fields, type Given } from './checks.ts'

export type Webhook = {
  id: string
  /** Null means every property of the account. */
  property_id: string | null
  callback_url: string
  event_mask: string
  headers: Record<string, string>
  request_params: Record<string, string>
  is_active: boolean
  send_data: boolean
}

const fields: Fields = {
  property_id: { check: text(36) },
  callback_url: { check: address, required: true },
  event_mask: { check: text(1000), required: true },
  headers: { check: object, fallback: {} },
  request_params: { check: object, fallback: {} },
  is_active: { check: flag, fallback: false },
  send_data: { check: flag, fallback: false },
}

export function readWebhook(
  given: Given,
  before: Webhook | undefined,
  mayUse: (propertyId: string) => boolean,
) {
  const read = cast(given, fields, before, ({ property_id: property }) =>
    property === null || mayUse(property as string) ? {} : { property_id: ['is invalid'] },
  )
  return { ...read, id: before?.id ?? randomUUID() } as Webhook
}

export function showWebhook({ id, property_id, ...attributes }: Webhook) {
  const property = property_id === null ? null : { type: 'property', id: property_id }
  return {
    type: 'webhook',
    id,
    attributes: { id, ...attributes },
    relationships: { property: { data: property } },
  }
}

export function listensTo(
  { event_mask, is_active, property_id }: Webhook,
  event: string,
  propertyId: string,
) {
  if (!is_active || (property_id !== null && property_id !== propertyId)) return false
  return event_mask.split(';').some((name) => name.trim() === '*' || name.trim() === event)
}
