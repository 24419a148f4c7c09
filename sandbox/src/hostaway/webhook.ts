import { Fail } from './envelope.ts'
import { flag, mustBe, readFields, text, type Check } from './fields.ts'

export type Webhook = {
  id: number
  accountId: number
  url: string
  login: string | null
  password: string | null
  alertingEmailAddress: string | null
  isEnabled: 0 | 1
  insertedOn: string
  /** The days in a row on which something failed and nothing arrived. */
  failingDays: string[]
}

export type Attempt = { atMs: number; status: number | null; body: string }

/** One event on its way to one webhook. */
export type Delivery = {
  id: number
  webhookId: number
  payload: { object: string; event: string; accountId: number; data: unknown }
  state: 'held' | 'waiting' | 'delivered' | 'failed'
  dueAtMs: number
  attempts: Attempt[]
  /** Who was written to when it was given up. */
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
  if (!fields.url) throw new Fail(400, '"url" is required.')
  return { ...fields, isEnabled: fields.isEnabled ?? 1 }
}

const defaults = { login: null, password: null, alertingEmailAddress: null, isEnabled: 1 }

/** Passwords go in and never out. */
export function shownWebhook({ accountId, failingDays, password, ...webhook }: Webhook) {
  return { ...webhook, password: password === null ? null : '****' }
}

export function isWebAddress(value: unknown) {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}
