/**
 * A stand-in for Channex, under `/api/v1`, with a control door at `/_control/`.
 *
 * Stood in for: API keys and what they open · properties, room types, rate plans and webhooks with their fields,
 * checks, pages, filters, order and `options` · availability, rates and restrictions by date and by range,
 * tasks and how they end (the address `/tasks/:id` is assumed), warnings, past dates by the property's own calendar, ten messages of either kind in any minute for
 * each property, messages under 10 MB, and reading back · rates by occupancy · bookings and their revisions,
 * the feed with its thirty minutes, acknowledgement, availability lowered by new bookings · notices of
 * bookings, and of nights that a message or somebody by hand has changed (`ari`), with retries, copies and disorder.
 *
 * Not stood in for: sales channels and their mapping · groups, users, taxes, photos, facilities and policies as
 * resources · prices derived from another plan or occupancy, lowest and highest prices, cut-off times and the
 * most days ahead · availability rules · notices that are neither about bookings nor `ari` · messages,
 * reviews, no-shows and payment cards · the limits of size, beyond which Channex charges more.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openAccount } from './channex/account.ts'
import { openBookings } from './channex/bookings.ts'
import { identify } from './channex/caller.ts'
import { isObject } from './channex/checks.ts'
import { openClock } from './channex/clock.ts'
import { control } from './channex/control.ts'
import { openDeliveries } from './channex/deliveries.ts'
import { openLimits } from './channex/limits.ts'
import { openNightNotices } from './channex/night-notices.ts'
import { openTasks } from './channex/messages.ts'
import { manner } from './channex/manner.ts'
import { inEnvelope, notFound, Rejection } from './channex/rejection.ts'
import { openRoutes, type Reply } from './channex/routes.ts'
import { answer, answerRefusal, receive, Refusal } from './json-http.ts'
import { listen, stopListening, type Address } from './listen.ts'
import { openCalls } from './pms/calls.ts'
import { openFaults } from './pms/faults.ts'
import { suffer } from './pms/suffer.ts'

const base = '/api/v1'
const origin = 'http://channex'
const largestBodyBytes = 10_000_000

/** A Channex that keeps what it is told, and fails when asked to. */
export async function startChannex({ home, ...listenAt }: Address & { home?: string | undefined } = {}) {
  const stopping = new AbortController()
  const account = openAccount(home)
  const clock = openClock()
  const limits = openLimits()
  const deliveries = openDeliveries(clock, stopping.signal)
  const applyAndTell = openNightNotices(account, deliveries, clock)
  const tasks = openTasks(applyAndTell)
  const bookings = openBookings(account, deliveries, clock)
  const parts = { account, applyAndTell, bookings, clock, deliveries, limits, tasks }
  const reply = openRoutes(parts)
  const faults = openFaults()
  const calls = openCalls()

  const server = createServer((req, res) => {
    res.setHeader('x-request-id', randomUUID())
    const work = req.url?.startsWith('/_control/')
      ? control(req, res, parts, { faults, calls, tick })
      : serve(req, res)
    work.catch((error: unknown) => {
      if (error instanceof Rejection) answer(res, error.status, inEnvelope(error))
      else if (error instanceof Refusal) answerRefusal(res, error)
      else if (!stopping.signal.aborted) res.destroy(error as Error)
    })
  })
  const url = await listen(server, listenAt)
  const ticking = setInterval(() => void tick(), 1000).unref()

  return {
    url,
    async close() {
      clearInterval(ticking)
      stopping.abort()
      await stopListening(server)
      account.close()
    },
  }

  function tick() {
    bookings.tick()
    return deliveries.tick()
  }

  async function serve(req: IncomingMessage, res: ServerResponse) {
    const { pathname, searchParams: query } = URL.parse(req.url ?? '/', origin) ?? new URL(origin)
    const method = req.method ?? 'GET'
    const received = await receive(req, largestBodyBytes)
    const call = calls.note({
      method,
      path: req.url ?? '/',
      property: propertyOf(pathname, query, received.value),
      external_id: pathname.slice(base.length).split('/')[2] ?? null,
      idempotency_key: null,
      traceparent: headerOf(req, 'traceparent') ?? null,
      text: received.text,
    })
    res.on('finish', () => (call.status = res.statusCode))

    const strike = faults.strike(call)
    if (strike && (await suffer(strike, call, res, manner, stopping.signal)) === 'over') return
    const { status, body } = await answered(async () => {
      const caller = identify(headerOf(req, 'user-api-key'), account)
      if (!pathname.startsWith(`${base}/`)) throw notFound()
      return reply({ method, path: pathname.slice(base.length), query, received }, caller)
    })
    if (strike?.fault.mode === 'lose_reply') req.socket.destroy()
    else answer(res, status, body, status === 413 ? { connection: 'close' } : {})
  }
}

async function answered(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Rejection) return { status: error.status, body: inEnvelope(error) }
    throw error
  }
}

/** The property a call is about, as far as it names one; the first of several. */
function propertyOf(path: string, query: URLSearchParams, body: unknown): string | null {
  const [, named] = /^\/api\/v1\/properties\/([^/]+)$/.exec(path) ?? []
  const [first] = isObject(body) ? ((body['values'] ?? Object.values(body)) as unknown[]) : []
  const inBody = isObject(first) ? first['property_id'] : undefined
  return named ?? query.get('filter[property_id]') ?? (typeof inBody === 'string' ? inBody : null)
}

function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}
