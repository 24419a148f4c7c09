import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { controlHostaway } from './hostaway/control.ts'
import { openDeliveries } from './hostaway/deliveries.ts'
import { Fail, failure, type Reply } from './hostaway/envelope.ts'
import { manner } from './hostaway/manner.ts'
import { openRateLimits } from './hostaway/rate-limits.ts'
import { openRecords } from './hostaway/records.ts'
import { findHandler, numbersIn } from './hostaway/routes.ts'
import { admit, issueToken, revokeToken, tokenHolder } from './hostaway/tokens.ts'
import type { Vendor } from './hostaway/vendor.ts'
import { answer, answerRefusal, receive, Refusal, type Received } from './json-http.ts'
import { listen, stopListening, type Address } from './listen.ts'
import { openCalls } from './pms/calls.ts'
import { openFaults } from './pms/faults.ts'
import { suffer } from './pms/suffer.ts'

/**
 * Hostaway's public API, version 1, as its reference describes it.
 *
 * Stood in for: access tokens (issue, the second before they are good, expiry, revocation, 403), the envelope
 * in both its spellings, paging, limits by address and account, listings (read, create, update, archived ones,
 * multi-unit ones), listing images fetched later, the calendar (days read, ranges written, 200 in one call),
 * reservations with all thirteen statuses, overbooking protection and `afterId`, unified webhooks with basic
 * authentication, retries and switching off.
 *
 * Not stood in for: conversations and messages (an event can be sent through the control door), price details
 * and quotes, fees, taxes, coupons, finance fields, custom fields, owner statements, reviews, tasks, users and
 * groups, dictionaries, the older webhooks and their log, exports to channels, deletion of listings and
 * reservations, limits of single endpoints, `X-RateLimit` headers. `PUT calendar` by single `date` and
 * `POST calendar/batch`, which some descriptions have, are not in the vendor's reference, and not here.
 *
 * Assumed, because nothing is documented: 400 for what does not fit, 404 for what is not there; a sliding window
 * for the limits, in which refused calls do not count; null leaves a calendar value as it is, except where
 * null is read back (closed on arrival or departure, note); one interval that does not fit refuses all; past
 * dates are taken; a range has at most 1,125 nights; when retries happen; what a webhook's answer 3xx means.
 */
export async function startHostaway({ home, ...address }: Address & { home?: string | undefined } = {}) {
  const records = openRecords(home)
  const faults = openFaults()
  const calls = openCalls()
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const rateLimits = openRateLimits(now)
  const deliveries = openDeliveries(records, now)
  const vendor: Vendor = { records, now, notify: deliveries.notify }
  const turnClock = (byMs: number) => void (aheadMs += byMs)
  const levers = { vendor, faults, calls, rateLimits, deliveries, turnClock }
  const stopping = new AbortController()

  const server = createServer((req, res) => {
    const work = req.url?.startsWith('/_control/') ? controlHostaway(req, res, levers) : serve(req, res)
    work.catch((error: unknown) => {
      if (error instanceof Refusal) answerRefusal(res, error)
      else if (!stopping.signal.aborted) res.destroy(error as Error)
    })
  })
  const url = await listen(server, address)

  return {
    url,
    async close() {
      stopping.abort()
      await stopListening(server)
      await deliveries.close()
      records.close()
    },
  }

  async function serve(req: IncomingMessage, res: ServerResponse) {
    const received = await receive(req)
    const path = pathOf(req)
    const call = calls.note({
      method: req.method ?? 'GET',
      path: req.url ?? '/',
      property: tokenHolder(vendor, req.headers.authorization)?.toString() ?? null,
      external_id: /^\/v1\/listings\/(\d+)/.exec(path)?.[1] ?? null,
      idempotency_key: null,
      traceparent: req.headers['traceparent']?.toString() ?? null,
      text: received.text,
    })
    res.on('finish', () => (call.status = res.statusCode))
    const strike = faults.strike(call)
    if (strike && (await suffer(strike, call, res, manner, stopping.signal)) === 'over') return
    const { status, body, headers } = reply(req, path, received)
    if (strike?.fault.mode === 'lose_reply') req.socket.destroy()
    else answer(res, status, body, headers)
  }

  function reply(req: IncomingMessage, path: string, received: Received): Reply {
    try {
      return handle(req, path, received)
    } catch (error) {
      if (error instanceof Fail) return failure(error)
      throw error
    }
  }

  function handle(req: IncomingMessage, path: string, received: Received): Reply {
    const method = req.method ?? 'GET'
    const query = new URLSearchParams(req.url?.split('?')[1])
    rateLimits.count('ip', req.socket.remoteAddress ?? '')
    if (path === '/v1/accessTokens' && method === 'POST') {
      return issueToken(vendor, req.headers['content-type'] ?? '', received)
    }
    if (path === '/v1/accessTokens' && method === 'DELETE') return revokeToken(vendor, query)
    const accountId = admit(vendor, req.headers.authorization)
    rateLimits.count('account', accountId)
    if (!path.startsWith('/v1/')) throw new Fail(404, 'The requested endpoint does not exist.')
    const own = path.slice('/v1'.length)
    return findHandler(method, own)(vendor, {
      accountId,
      query,
      ids: numbersIn(own),
      body: () => bodyOf(received),
    })
  }
}

const pathOf = (req: IncomingMessage) => req.url?.split('?', 1)[0] ?? '/'

function bodyOf({ value, refusal }: Received): unknown {
  if (refusal) throw new Fail(refusal.status, refusal.message)
  return value
}
