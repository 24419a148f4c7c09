import { toStorableText } from '#schema/fields.ts'
import { hash } from 'node:crypto'
import { EgressRefused, type Egress } from '#egress/egress.ts'
import { ResponseTooLarge, type EgressResponse } from '#egress/response.ts'
import { metrics } from '#telemetry/metrics.ts'
import { startTrace, endTrace } from '#telemetry/tracing.ts'
import { version } from '#process/version.ts'
import type { CallContext, RateLimitHeaders } from './pms-call.ts'
import { PmsFailure, type Exchange } from './pms-failure.ts'

export interface PmsResponse {
  readonly status: number
  /** Parsed JSON; null when the body is not JSON. */
  readonly body: unknown
  readonly headers: ResponseHeaders
  readonly retryAfter: Date | null
  readonly exchange: Exchange
}

export interface PmsRequest {
  readonly provider: string
  /** The budget that the call counts against. */
  readonly kind: string
  readonly method: string
  readonly url: string
  /** Sent as JSON; URLSearchParams are sent as a form and treated as credentials. */
  readonly body?: unknown
  /** May contain credentials: headers are never logged or stored. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly call: CallContext
  /** 1 MiB by default. */
  readonly maxResponseBytes?: number
  /** The part of the response that is stored; by default the code and message of its `error`, else its size. */
  readonly summarize?: (body: unknown) => string | null
}

/**
 * Sends one HTTP request with a JSON response, through the rate limiter, with a timeout, a size limit and a span, and
 * without following redirects. Each call that the rate limiter admits is recorded there exactly once. @throws PmsFailure
 */
export async function sendRequest(egress: Egress, request: PmsRequest): Promise<PmsResponse> {
  const { provider, kind, method, call } = request
  const message = buildMessage(request)
  const recordedRequest = {
    method,
    path: URL.parse(request.url)?.pathname ?? '',
    payload_hash: `sha256:${hash('sha256', message.hashedText)}`,
  }
  await call.rateLimiter?.acquire(kind).catch((error: unknown) => {
    metrics.pmsCallEnded(provider, null, 0, 'held_back')
    throw error
  })
  const startedAt = performance.now()
  const trace = startTrace(`PMS ${method}`, 'client', call.traceparent, {
    'http.request.method': method,
    'url.path': recordedRequest.path,
    'vacancy.provider': provider,
  })
  const { status, headers, text } = await send(egress, request, message, trace.traceparent).catch(
    (error: unknown) => {
      endTrace(trace, { failed: true })
      const failure = toPmsFailure(error, { request: recordedRequest, response: null })
      metrics.pmsCallEnded(provider, null, performance.now() - startedAt, failure.code)
      call.rateLimiter?.recordFailure(kind, failure)
      throw failure
    },
  )
  endTrace(trace, { failed: status >= 400, attributes: { 'http.response.status_code': status } })
  metrics.pmsCallEnded(provider, status, performance.now() - startedAt)
  const limits = parseRateLimitHeaders(status, headers)
  const body = parseJson(text)
  const summary = (request.summarize ?? summarizeError)(body) ?? `${Buffer.byteLength(text)} bytes`
  const recordedResponse = {
    http_status: status,
    request_id: requestIdOf(headers, request),
    summary: toStorableText(summary, 300),
  }
  const exchange = { request: recordedRequest, response: recordedResponse }
  // A page of maintenance has a status of 200 at some PMSs, which are as unavailable as with 503.
  if (status < 300 && /^\s*</.test(text))
    call.rateLimiter?.recordFailure(
      kind,
      new PmsFailure('pms_unavailable', 'The PMS sent a page instead of data.', { ...retried, exchange }),
    )
  else call.rateLimiter?.recordResponse(kind, limits)
  return { status, body, headers, retryAfter: limits.retryAfter, exchange }
}

function buildMessage({ body, headers, call }: PmsRequest) {
  const isForm = body instanceof URLSearchParams
  const text = body === undefined ? undefined : isForm ? body.toString() : JSON.stringify(body)
  return {
    text,
    /** Only the field names of a form: a hash of credentials could confirm a guess. */
    hashedText: isForm ? [...body.keys()].join('&') : (text ?? ''),
    headers: {
      accept: 'application/json',
      'user-agent': `Vacancy/${version}`,
      ...(text !== undefined && {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...(call.idempotencyKey && { 'idempotency-key': call.idempotencyKey }),
      ...headers,
    },
  }
}

class RequestTimeout extends Error {}

/** Combines the timeout and the caller's signal by hand: AbortSignal.any costs more than a call to a local server. */
async function send(
  egress: Egress,
  { method, url, timeoutMs, call, maxResponseBytes }: PmsRequest,
  { headers, text }: ReturnType<typeof buildMessage>,
  traceparent: string,
): Promise<EgressResponse> {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new RequestTimeout(`No response within ${timeoutMs} ms.`)),
    timeoutMs,
  )
  const abort = () => controller.abort(call.signal!.reason)
  if (call.signal?.aborted) abort()
  call.signal?.addEventListener('abort', abort, { once: true })
  try {
    return await egress.request(url, {
      method,
      headers: { ...headers, traceparent },
      signal: controller.signal,
      ...(text !== undefined && { body: text }),
      ...(maxResponseBytes !== undefined && { maxBytes: maxResponseBytes }),
    })
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', abort)
  }
}

function parseJson(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text, unstorable.test(text) ? toStorable : undefined)
  } catch {
    return null
  }
}

/** U+0000 and surrogates are in JSON as escapes. PostgreSQL stores neither U+0000 nor half a pair. */
const unstorable = /\\u(?:0000|d[89a-f])/i
const toStorable = (_: string, value: unknown) =>
  typeof value === 'string' ? toStorableText(value, Infinity) : value

function summarizeError(body: unknown): string | null {
  const error = (body as { error?: { code?: unknown; message?: unknown } } | null)?.error
  return error ? `${textOf(error.code)} ${textOf(error.message)}`.trim() : null
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Null when there is none, and when the PMS repeats a credential in it. */
function requestIdOf({ 'x-request-id': header }: ResponseHeaders, { headers = {}, body }: PmsRequest) {
  const id = Array.isArray(header) ? header[0] : header
  if (id === undefined) return null
  const headerValues = Object.values(headers).map((value) => value.replace(/^Bearer /, ''))
  const formValues = body instanceof URLSearchParams ? [...body.values()] : []
  return [...headerValues, ...formValues].some((secret) => id.includes(secret))
    ? null
    : toStorableText(id, 200)
}

const retried = { hint: 'No action is needed: the push is retried automatically.' }

function toPmsFailure(error: unknown, exchange: Exchange): PmsFailure {
  const more = { ...retried, exchange, cause: error }
  if (error instanceof EgressRefused)
    return new PmsFailure('validation_rejected', error.message, {
      ...more,
      hint: 'Enter another address in the settings of the channel.',
    })
  if (error instanceof RequestTimeout)
    return new PmsFailure('timeout', 'The PMS did not answer in time.', more)
  if (error instanceof ResponseTooLarge)
    return new PmsFailure('pms_unavailable', 'The response of the PMS is too large.', more)
  return new PmsFailure('network', 'The PMS cannot be reached.', more)
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Reads the rate limit headers of a response, under any of the names that PMSs use. */
export function parseRateLimitHeaders(
  status: number,
  headers: ResponseHeaders,
  now = Date.now(),
): RateLimitHeaders {
  const first = (...names: string[]) => names.map((name) => firstValue(headers[name])).find(Boolean) ?? null
  return {
    status,
    retryAfter: parseRetryAfter(first('retry-after'), now),
    limit: parseCount(first('x-ratelimit-limit', 'x-rate-limit-limit', 'ratelimit-limit')),
    remaining: parseCount(
      first(
        'x-ratelimit-remaining',
        'x-rate-limit-remaining',
        'ratelimit-remaining',
        'x-five-min-limit-remaining',
      ),
    ),
    resetAt: parseReset(
      first('x-ratelimit-reset', 'x-rate-limit-reset', 'ratelimit-reset', 'x-five-min-limit-resets-in'),
      now,
    ),
  }
}

const firstValue = (header: string | string[] | undefined) =>
  (Array.isArray(header) ? header[0] : header)?.trim()

/** Seconds or an HTTP date. */
function parseRetryAfter(header: string | null, now: number): Date | null {
  if (header === null) return null
  const isSeconds = /^\d+(\.\d+)?$/.test(header)
  return toDate(isSeconds ? now + Number(header) * 1_000 : Date.parse(header), now)
}

/** `100`, or the first number of `100, 100;w=60`. */
function parseCount(header: string | null): number | null {
  const [, digits] = /^(\d{1,15})(?=\s*([,;.]|$))/.exec(header ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** A date, seconds or milliseconds since 1970, or the seconds until then. */
function parseReset(header: string | null, now: number): Date | null {
  if (header === null) return null
  if (!/^\d+(\.\d+)?$/.test(header)) return toDate(Date.parse(header), now)
  const value = Number(header)
  if (value > 1e11) return toDate(value, now)
  return toDate(value > 1e8 ? value * 1_000 : now + value * 1_000, now)
}

/** At most an hour ahead, so that a wrong clock at the PMS cannot stop pushes for good. */
const toDate = (timeMs: number, now: number) =>
  Number.isNaN(timeMs) ? null : new Date(Math.min(timeMs, now + 3_600_000))
