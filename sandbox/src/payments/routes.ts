import { refuseUnknown, textOf, wholeOf, oneOf, type Form } from './form.ts'
import type { Happenings } from './happenings.ts'
import { readIntent, type Intent } from './intent.ts'
import type { Ledger } from './ledger.ts'
import { missing, Refusal } from './refusal.ts'
import type { Refunds } from './refunds.ts'
import type { Till } from './transitions.ts'

export type Parts = { ledger: Ledger; till: Till; refunds: Refunds; happenings: Happenings }

/** One request: its form (from the body, or the query of a GET) and the id in its path. */
type Asked = { form: Form; id: string }

type Handler = (parts: Parts, asked: Asked) => object

export type Route = {
  /** Its name, by which a fault can be put on it. */
  name: string
  handler: Handler
  id: string
  /** What the page of a guest may ask, with a publishable key and the client secret. */
  isPublic: boolean
}

const reasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const

const handlers: Record<string, Handler> = {
  'GET /v1/balance': ({ ledger }) => balanceOf(ledger),

  'POST /v1/payment_intents': ({ ledger, till, happenings }, { form }) => {
    const intent = readIntent(form, Math.floor(Date.now() / 1_000))
    ledger.write({ intent })
    happenings.tell('payment_intent.created', intent)
    return textOf(form, 'confirm') === 'true' ? till.confirm(intent) : intent
  },

  'GET /v1/payment_intents': ({ ledger }, { form }) => {
    refuseUnknown(form, ['created', 'limit', 'starting_after', 'ending_before', 'customer', 'expand'])
    const created = typeof form['created'] === 'object' ? form['created'] : {}
    const [gte = -Infinity, lte = Infinity] = [wholeOf(created, 'gte'), wholeOf(created, 'lte')]
    const found = [...ledger.intents.values()].filter((one) => one.created >= gte && one.created <= lte)
    return paged(found, form, '/v1/payment_intents')
  },

  'GET /v1/payment_intents/:id': ({ ledger }, asked) => findIntent(ledger, asked),

  'POST /v1/payment_intents/:id/confirm': ({ ledger, till }, asked) => {
    refuseUnknown(asked.form, ['payment_method', 'client_secret', 'return_url', 'use_stripe_sdk', 'expand'])
    return till.confirm(findIntent(ledger, asked), textOf(asked.form, 'payment_method'))
  },

  'POST /v1/payment_intents/:id/capture': ({ ledger, till }, asked) => {
    refuseUnknown(asked.form, ['amount_to_capture', 'metadata', 'expand'])
    return till.capture(findIntent(ledger, asked), wholeOf(asked.form, 'amount_to_capture'))
  },

  'POST /v1/payment_intents/:id/cancel': ({ ledger, till }, asked) => {
    refuseUnknown(asked.form, ['cancellation_reason', 'expand'])
    return till.cancel(findIntent(ledger, asked), oneOf(asked.form, 'cancellation_reason', reasons) ?? null)
  },

  'POST /v1/refunds': ({ refunds }, { form }) => refunds.make(form),

  'GET /v1/refunds': ({ ledger }, { form }) => {
    refuseUnknown(form, [
      'payment_intent',
      'charge',
      'created',
      'limit',
      'starting_after',
      'ending_before',
      'expand',
    ])
    const intentId = textOf(form, 'payment_intent')
    const found = intentId === undefined ? [...ledger.refunds.values()] : ledger.refundsOf(intentId)
    return paged(found, form, '/v1/refunds')
  },

  'GET /v1/refunds/:id': ({ ledger }, { id }) => {
    const refund = ledger.refunds.get(id)
    if (!refund) throw missing('refund', id)
    return refund
  },
}

const ofGuests = ['GET /v1/payment_intents/:id', 'POST /v1/payment_intents/:id/confirm']

export function findRoute(method: string, path: string): Route | undefined {
  const name = `${method} ${path}`
  const direct = handlers[name]
  if (direct) return { name, handler: direct, id: '', isPublic: false }
  const [, version, collection, id = '', action] = path.split('/')
  const template = `${method} /${version}/${collection}/:id${action === undefined ? '' : `/${action}`}`
  const handler = handlers[template]
  return (
    handler && { name: template, handler, id: decodeURIComponent(id), isPublic: ofGuests.includes(template) }
  )
}

function findIntent(ledger: Ledger, { id, form }: Asked): Intent {
  const intent = ledger.intents.get(id)
  if (!intent) throw missing('payment_intent', id, 'intent')
  const secret = textOf(form, 'client_secret')
  if (secret !== undefined && secret !== intent.client_secret)
    throw new Refusal('The client_secret provided does not match the client_secret of the PaymentIntent.', {
      code: 'payment_intent_client_secret_mismatch',
      param: 'client_secret',
    })
  return intent
}

/** The newest first. */
function paged<T extends { id: string }>(found: T[], form: Form, url: string) {
  const limit = wholeOf(form, 'limit') ?? 10
  if (limit < 1 || limit > 100) throw new Refusal('Limit must be between 1 and 100.', { param: 'limit' })
  const newest = found.reverse()
  const after = textOf(form, 'starting_after')
  const start = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) throw missing('object', after, 'starting_after')
  const data = newest.slice(start, start + limit)
  return { object: 'list', url, has_more: newest.length > start + limit, data }
}

function balanceOf(ledger: Ledger) {
  const amounts = new Map<string, number>([['usd', 0]])
  for (const { currency, amount_captured, amount_refunded } of ledger.charges.values())
    amounts.set(currency, (amounts.get(currency) ?? 0) + amount_captured - amount_refunded)
  const entry = ([currency, amount]: [string, number]) => ({
    amount,
    currency,
    source_types: { card: amount },
  })
  return {
    object: 'balance',
    available: [...amounts].map(entry),
    livemode: false,
    pending: [entry(['usd', 0])],
  }
}
