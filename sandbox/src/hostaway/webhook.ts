import { ApiError } from './envelope.ts'
import { flag, isWebAddress, mustBe, readFields, text, type Check } from './fields.ts'

export type Webhook = {
  id: number
  accountId: number
  url: string
  login: string | null
  password: string | null
  alertingEmailAddress: string | null
  isEnabled: 0 | 1
  insertedOn: string
  /** The consecutive days on which deliveries failed and none succeeded. */
  failingDays: string[]
}

export type Attempt = { atMs: number; status: number | null; body: string }

/** One event to deliver to one webhook. */
export type Delivery = {
  id: number
  webhookId: number
  payload: { object: string; event: string; accountId: number; data: unknown }
  state: 'held' | 'waiting' | 'delivered' | 'failed'
  dueAtMs: number
  attempts: Attempt[]
  /** Who was alerted when the delivery was given up. */
  alerted: string | null
}

const address: Check = { kind: 'a valid URL', fits: isWebAddress }

const settable = {
  url: address,
  login: text,
  password: text,
  alertingEmailAddress: {
    kind: 'an e-mail address',
    fits: (v: unknown) => /^[^\s@]+@[^\s@]+$/.test(String(v)),
  },
  isEnabled: flag,
}

export type WebhookFields = Pick<Webhook, 'url' | 'login' | 'password' | 'alertingEmailAddress' | 'isEnabled'>

export function readWebhook(body: unknown, before: WebhookFields | undefined): WebhookFields {
  const given = readFields(body, settable, mustBe)
  const fields = { ...defaults, ...before, ...given } as WebhookFields
  if (!fields.url) throw new ApiError(400, '"url" is required.')
  return { ...fields, isEnabled: fields.isEnabled ?? 1 }
}

const defaults = { login: null, password: null, alertingEmailAddress: null, isEnabled: 1 }

/** A webhook as it is read. Passwords are never shown. */
export function shownWebhook({ accountId, failingDays, password, ...webhook }: Webhook) {
  return { ...webhook, password: password === null ? null : '****' }
}
