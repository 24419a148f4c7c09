import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { answer, answerRefusal, Refusal as ControlRefusal } from './json-http.ts'
import { listen, stopListening, type Address } from './listen.ts'
import { control } from './payments/control.ts'
import { openDeliveries, type Endpoint } from './payments/deliveries.ts'
import { readForm, type Form } from './payments/form.ts'
import { openHappenings } from './payments/happenings.ts'
import { openKeys } from './payments/idempotency.ts'
import { openLedger } from './payments/ledger.ts'
import { Refusal } from './payments/refusal.ts'
import { openRefunds } from './payments/refunds.ts'
import { findRoute, type Route } from './payments/routes.ts'
import { openTill } from './payments/transitions.ts'
import { openCalls } from './pms/calls.ts'
import { openFaults, retryAfter } from './pms/faults.ts'
import { suffer, type Manner } from './pms/suffer.ts'

export type PaymentsOptions = Address & { home?: string | undefined; webhook?: Endpoint | undefined }

/**
 * A payment provider that speaks as Stripe does, with a ledger of its own.
 *
 * Stood in for: PaymentIntents (create, read, list by time, confirm with the payment methods of the test mode,
 * capture, cancel) in the documented states, refunds (at once, pending, failing later), idempotency keys, errors,
 * the balance, signed webhooks with retries.
 *
 * Not stood in for: customers, saved methods, real card numbers (a body with one is refused), disputes, payouts,
 * search, Connect, webhook endpoints as records (one is configured), limits by account, `expand`.
 */
export async function startPayments({ home, webhook, ...address }: PaymentsOptions = {}) {
  const stopping = new AbortController()
  const ledger = openLedger(home)
  const deliveries = openDeliveries(webhook, stopping.signal)
  const happenings = openHappenings(ledger, deliveries)
  const till = openTill(ledger, happenings)
  const refunds = openRefunds(ledger, happenings)
  const faults = openFaults()
  const calls = openCalls()
  const keys = openKeys(ledger)
  const parts = { ledger, till, refunds, happenings }

  const server = createServer((req, res) => {
    res.setHeader('request-id', `req_${randomUUID()}`)
    res.setHeader('x-request-id', randomUUID())
    const isControl = req.url?.startsWith('/_control/')
    const work = isControl ? control(req, res, { ...parts, deliveries, faults, calls }) : serve(req, res)
    work.catch((error: unknown) => {
      if (error instanceof Refusal) answer(res, error.status, error.body)
      else if (error instanceof ControlRefusal) answerRefusal(res, error)
      else if (!stopping.signal.aborted) res.destroy(error as Error)
    })
  })
  const url = await listen(server, address)

  return {
    url,
    /** From now on events are posted there. */
    notify: (endpoint: Endpoint) => deliveries.set(endpoint),
    async close() {
      stopping.abort()
      await stopListening(server)
      ledger.close()
    },
  }

  async function serve(req: IncomingMessage, res: ServerResponse) {
    const { pathname, search } = new URL(req.url ?? '/', 'http://payments')
    const method = req.method ?? 'GET'
    if (`${method} ${pathname}` === 'GET /health') return answer(res, 200, { status: 'ok' })
    const body = await text(req)
    const form = readForm(method === 'POST' ? body : search.slice(1))
    const route = findRoute(method, pathname)
    const call = calls.note({
      method,
      path: pathname,
      property: route?.name ?? null,
      external_id: route?.id ?? null,
      idempotency_key: header(req, 'idempotency-key') ?? null,
      traceparent: header(req, 'traceparent') ?? null,
      text: body,
    })
    res.on('finish', () => (call.status = res.statusCode))
    refuseStranger(header(req, 'authorization'), route, form)
    if (!route) throw new Refusal(`Unrecognized request URL (${method}: ${pathname}).`, { status: 404 })
    const key = method === 'POST' ? header(req, 'idempotency-key') : undefined
    const strike = faults.strike(call)
    try {
      const reply = await keys.once(key, `${method} ${pathname}\n${body}`, async () => {
        // A failure after the work has begun is an answer like another: the key keeps it.
        if (strike?.fault.code === 'kept')
          throw new Refusal('Something went wrong.', { status: 500, type: 'api_error', isKept: true })
        if (strike && (await suffer(strike, call, res, manner, stopping.signal)) === 'over')
          throw new Answered()
        return { status: 200, body: route.handler(parts, { form, id: route.id }), isReplayed: false }
      })
      if (strike?.fault.mode === 'lose_reply') return
      answer(res, reply.status, reply.body, {
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(reply.isReplayed && { 'idempotent-replayed': 'true' }),
      })
    } catch (error) {
      if (!(error instanceof Answered)) throw error
    } finally {
      if (strike?.fault.mode === 'lose_reply') req.socket.destroy()
    }
  }
}

/** A fault has answered already, or never will. */
class Answered extends Error {}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function refuseStranger(authorization: string | undefined, route: Route | undefined, form: Form) {
  if (/^bearer +sk_test_\S+$/i.test(authorization ?? '')) return
  const isGuest = /^bearer +pk_test_\S+$/i.test(authorization ?? '') && form['client_secret'] !== undefined
  if (isGuest && route?.isPublic) return
  throw new Refusal('Invalid API key provided: a key begins with sk_test_.', { status: 401 })
}

const manner: Manner = {
  nonsense: { object: 'list', data: 'none' },
  refuse(res, strike, status) {
    const { code = status === 429 ? 'rate_limit' : undefined } = strike.fault
    const type = status >= 500 ? 'api_error' : 'invalid_request_error'
    const wait = retryAfter(strike)
    const message = `refused with ${status}, as it was told to`
    answer(
      res,
      status,
      { error: { type, ...(code && { code }), message } },
      wait ? { 'retry-after': wait } : {},
    )
  },
}
