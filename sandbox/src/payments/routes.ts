import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { applyFault, loseReply, recordCall } from '../http/apply-fault.ts'
import type { Calls } from '../http/calls.ts'
import type { Faults } from '../http/faults.ts'
import { bodyText, headerOf, pathOf } from '../http/request.ts'
import type { Events } from './deliveries.ts'
import { isWithdrawn, type Disputes } from './disputes.ts'
import { ApiError, missing } from './errors.ts'
import { faultReplies } from './faults.ts'
import { assertKnown, oneOf, readForm, textOf, wholeOf, type Form } from './form.ts'
import { openIdempotencyKeys } from './idempotency.ts'
import { readIntent, type Intent } from './intent.ts'
import type { PaymentStateMachine } from './payment-state-machine.ts'
import type { Refunds } from './refunds.ts'
import type { Ledger } from './store.ts'

export interface PaymentProvider {
  ledger: Ledger
  payments: PaymentStateMachine
  refunds: Refunds
  disputes: Disputes
  events: Events
}

/** The form of a request, from the body or the query of a GET, and the id in its path. */
interface ApiCall {
  form: Form
  id: string
}

type Handler = (provider: PaymentProvider, call: ApiCall) => object

const reasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const

const handlers: Record<string, Handler> = {
  'GET /v1/balance': ({ ledger }) => balanceOf(ledger),

  'POST /v1/payment_intents': ({ ledger, payments, events }, { form }) => {
    const intent = readIntent(form, Math.floor(Date.now() / 1_000))
    ledger.write({ intent })
    events.publish('payment_intent.created', intent)
    return textOf(form, 'confirm') === 'true' ? payments.confirm(intent) : intent
  },

  'GET /v1/payment_intents': ({ ledger }, { form }) => {
    assertKnown(form, ['created', 'limit', 'starting_after', 'ending_before', 'customer', 'expand'])
    return paged([...ledger.intents.values()].filter(createdWithin(form)), form, '/v1/payment_intents')
  },

  'GET /v1/payment_intents/:id': ({ ledger }, call) => {
    const intent = findIntent(ledger, call)
    const isExpanded = Object.values(call.form['expand'] ?? {}).includes('latest_charge')
    return isExpanded
      ? { ...intent, latest_charge: ledger.charges.get(intent.latest_charge ?? '') ?? null }
      : intent
  },

  'POST /v1/payment_intents/:id/confirm': ({ ledger, payments }, call) => {
    assertKnown(call.form, ['payment_method', 'client_secret', 'return_url', 'use_stripe_sdk', 'expand'])
    return payments.confirm(findIntent(ledger, call), textOf(call.form, 'payment_method'))
  },

  'POST /v1/payment_intents/:id/capture': ({ ledger, payments }, call) => {
    assertKnown(call.form, ['amount_to_capture', 'metadata', 'expand'])
    return payments.capture(findIntent(ledger, call), wholeOf(call.form, 'amount_to_capture'))
  },

  'POST /v1/payment_intents/:id/cancel': ({ ledger, payments }, call) => {
    assertKnown(call.form, ['cancellation_reason', 'expand'])
    return payments.cancel(findIntent(ledger, call), oneOf(call.form, 'cancellation_reason', reasons) ?? null)
  },

  'POST /v1/refunds': ({ refunds }, { form }) => refunds.make(form),

  'GET /v1/refunds': ({ ledger }, { form }) =>
    pagedOfIntent(form, '/v1/refunds', (intentId) =>
      intentId === undefined ? [...ledger.refunds.values()] : ledger.refundsOf(intentId),
    ),

  'GET /v1/refunds/:id': ({ ledger }, { id }) => {
    const refund = ledger.refunds.get(id)
    if (!refund) throw missing('refund', id)
    return refund
  },

  'GET /v1/disputes': ({ ledger }, { form }) =>
    pagedOfIntent(form, '/v1/disputes', (intentId) =>
      intentId === undefined ? [...ledger.disputes.values()] : ledger.disputesOf(intentId),
    ),
}

/** A page of all refunds or disputes, or of those of one payment. */
function pagedOfIntent<Row extends { id: string; created: number }>(
  form: Form,
  url: string,
  listed: (intentId: string | undefined) => Row[],
) {
  assertKnown(form, [
    'payment_intent',
    'charge',
    'created',
    'limit',
    'starting_after',
    'ending_before',
    'expand',
  ])
  return paged(listed(textOf(form, 'payment_intent')).filter(createdWithin(form)), form, url)
}

/** The filter `created` of a list. */
function createdWithin(form: Form) {
  const created = typeof form['created'] === 'object' ? form['created'] : {}
  const [gte = -Infinity, lte = Infinity] = [wholeOf(created, 'gte'), wholeOf(created, 'lte')]
  return (one: { created: number }) => one.created >= gte && one.created <= lte
}

/** What the page of a guest may call, with a publishable key and the client secret. */
const guestRoutes = ['GET /v1/payment_intents/:id', 'POST /v1/payment_intents/:id/confirm']

export interface Interception {
  calls: Calls
  faults: Faults
  stopping: AbortSignal
}

/** Routes Stripe's API. A rule of faults names a route as `property`, such as `POST /v1/refunds`. */
export function addPaymentRoutes(
  app: FastifyInstance,
  provider: PaymentProvider,
  interception: Interception,
) {
  const { calls, faults, stopping } = interception
  const idempotencyKeys = openIdempotencyKeys(provider.ledger)
  app.setNotFoundHandler((request, reply) => serve(request, reply))
  for (const [name, handler] of Object.entries(handlers)) {
    const [method, url] = name.split(' ') as [HTTPMethods, string]
    app.route({ method, url, handler: (request, reply) => serve(request, reply, { name, handler }) })
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    route?: { name: string; handler: Handler },
  ) {
    const { method } = request
    const path = pathOf(request)
    const { id = '' } = request.params as { id?: string }
    const form = readForm(method === 'POST' ? bodyText(request) : request.url.slice(path.length + 1))
    const key = headerOf(request, 'idempotency-key')
    const call = recordCall(calls, request, reply, {
      path,
      property: route?.name ?? null,
      external_id: route ? id : null,
      idempotency_key: key,
    })
    assertAuthorized(headerOf(request, 'authorization'), form, guestRoutes.includes(route?.name ?? ''))
    if (!route) throw new ApiError(`Unrecognized request URL (${method}: ${path}).`, { status: 404 })
    const match = faults.match(call)
    // Before the key is looked up: the reply of a repeated request is lost as well.
    if (match?.fault.mode === 'lose_reply') loseReply(request)
    const usedKey = method === 'POST' ? key : undefined
    try {
      const result = await idempotencyKeys.once(
        usedKey,
        `${method} ${path}\n${bodyText(request)}`,
        async () => {
          // A failure after the work has begun is an answer like any other: it is kept under the key.
          if (match?.fault.code === 'kept')
            throw new ApiError('Something went wrong.', { status: 500, type: 'api_error', isKept: true })
          const context = { call, request, reply, replies: faultReplies, stopping }
          if (match && (await applyFault(match, context)) === 'over') throw new AnsweredByFault()
          return { status: 200, body: route.handler(provider, { form, id }), isReplayed: false }
        },
      )
      if (usedKey !== undefined) reply.header('idempotency-key', usedKey)
      if (result.isReplayed) reply.header('idempotent-replayed', 'true')
      reply.code(result.status)
      return result.body
    } catch (error) {
      if (error instanceof AnsweredByFault) return reply
      throw error
    }
  }
}

class AnsweredByFault extends Error {}

function assertAuthorized(authorization: string | undefined, form: Form, isGuestRoute: boolean) {
  if (/^bearer +sk_test_\S+$/i.test(authorization ?? '')) return
  const isGuest = /^bearer +pk_test_\S+$/i.test(authorization ?? '') && form['client_secret'] !== undefined
  if (isGuest && isGuestRoute) return
  throw new ApiError('Invalid API key provided: a key begins with sk_test_.', { status: 401 })
}

function findIntent(ledger: Ledger, { id, form }: ApiCall): Intent {
  const intent = ledger.intents.get(id)
  if (!intent) throw missing('payment_intent', id, 'intent')
  const secret = textOf(form, 'client_secret')
  if (secret !== undefined && secret !== intent.client_secret)
    throw new ApiError('The client_secret provided does not match the client_secret of the PaymentIntent.', {
      code: 'payment_intent_client_secret_mismatch',
      param: 'client_secret',
    })
  return intent
}

/** A page of a list, newest first. */
function paged<T extends { id: string }>(found: T[], form: Form, url: string) {
  const limit = wholeOf(form, 'limit') ?? 10
  if (limit < 1 || limit > 100) throw new ApiError('Limit must be between 1 and 100.', { param: 'limit' })
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
  for (const dispute of ledger.disputes.values())
    if (isWithdrawn(dispute))
      amounts.set(dispute.currency, (amounts.get(dispute.currency) ?? 0) - dispute.amount)
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
