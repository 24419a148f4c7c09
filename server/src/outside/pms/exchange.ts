import { hash } from 'node:crypto'
import { EgressRefused, type Egress } from '#egress.ts'
import { AnswerTooLong, type Reply } from '#egress-reply.ts'
import { metrics } from '#metrics.ts'
import { beginTrace, endTrace } from '#telemetry.ts'
import { version } from '#version.ts'
import { heardOf, type AnswerHeaders } from './heard.ts'
import type { Call } from './pms-call.ts'
import { PmsFailure, type Exchange } from './pms-failure.ts'

export interface Answer {
  readonly status: number
  /** Parsed JSON; null when the body is none. */
  readonly body: unknown
  readonly headers: AnswerHeaders
  readonly retryAfter: Date | null
  readonly exchange: Exchange
}

export interface Question {
  readonly provider: string
  /** Whose budget the call counts against. */
  readonly kind: string
  readonly method: string
  readonly url: string
  /** Sent as JSON, or as a form with credentials when it is URLSearchParams. */
  readonly body?: unknown
  /** Credentials go here: what is here is never kept. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly call: Call
  /** 1 MiB unless told. */
  readonly longestAnswerBytes?: number
  /** What the audit keeps of an answer; without it an `error` with code and message, or the size. */
  readonly summarize?: (body: unknown) => string | null
}

/**
 * One HTTP call with a JSON answer: through the gate, with a time-out, no redirect, a bounded answer, a span. The
 * gate hears exactly once of each call that it let pass. @throws PmsFailure
 */
export async function exchangeJson(egress: Egress, question: Question): Promise<Answer> {
  const { provider, kind, method, call } = question
  const sent = messageOf(question)
  const request = {
    method,
    path: URL.parse(question.url)?.pathname ?? '',
    payload_hash: `sha256:${hash('sha256', sent.shownText)}`,
  }
  await call.gate?.pass(kind).catch((error: unknown) => {
    metrics.pmsAnswered(provider, null, 0, 'held_back')
    throw error
  })
  const began = performance.now()
  const trace = beginTrace(`PMS ${method}`, 'client', call.traceparent, {
    'http.request.method': method,
    'url.path': request.path,
    'vacancy.provider': provider,
  })
  const { status, headers, text } = await replyTo(egress, question, sent, trace.traceparent).catch(
    (error: unknown) => {
      endTrace(trace, { failed: true })
      const failure = notAnswered(error, { request, response: null })
      metrics.pmsAnswered(provider, null, performance.now() - began, failure.code)
      call.gate?.failed(failure)
      throw failure
    },
  )
  endTrace(trace, { failed: status >= 400, attributes: { 'http.response.status_code': status } })
  metrics.pmsAnswered(provider, status, performance.now() - began)
  const heard = heardOf(status, headers)
  call.gate?.answered(kind, heard)
  const body = parsed(text)
  const summary = (question.summarize ?? errorIn)(body) ?? `${Buffer.byteLength(text)} bytes`
  const response = {
    http_status: status,
    request_id: requestIdOf(headers, question),
    summary: storable(summary, 300),
  }
  return { status, body, headers, retryAfter: heard.retryAfter, exchange: { request, response } }
}

function messageOf({ body, headers, call }: Question) {
  const isForm = body instanceof URLSearchParams
  const text = body === undefined ? undefined : isForm ? body.toString() : JSON.stringify(body)
  return {
    text,
    /** A hash of the credentials, too, tells whether a guess is right. */
    shownText: isForm ? [...body.keys()].join('&') : (text ?? ''),
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

class TimeOut extends Error {}

/** A timer and a signal of its own for each call: joining signals costs more than a call to a neighbour. */
async function replyTo(
  egress: Egress,
  { method, url, timeoutMs, call, longestAnswerBytes }: Question,
  { headers, text }: ReturnType<typeof messageOf>,
  traceparent: string,
): Promise<Reply> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new TimeOut(`No answer in ${timeoutMs} ms.`)), timeoutMs)
  const giveUp = () => controller.abort(call.signal!.reason)
  if (call.signal?.aborted) giveUp()
  call.signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await egress.request(url, {
      method,
      headers: { ...headers, traceparent },
      signal: controller.signal,
      ...(text !== undefined && { body: text }),
      ...(longestAnswerBytes !== undefined && { longestBytes: longestAnswerBytes }),
    })
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', giveUp)
  }
}

function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function errorIn(body: unknown): string | null {
  const error = (body as { error?: { code?: unknown; message?: unknown } } | null)?.error
  return error ? `${wordOf(error.code)} ${wordOf(error.message)}`.trim() : null
}

const wordOf = (part: unknown) => (typeof part === 'string' || typeof part === 'number' ? String(part) : '')

/** Null too when the PMS repeats a credential in it. */
function requestIdOf({ 'x-request-id': header }: AnswerHeaders, { headers = {}, body }: Question) {
  const id = Array.isArray(header) ? header[0] : header
  if (id === undefined) return null
  const inHeaders = Object.values(headers).map((value) => value.replace(/^Bearer /, ''))
  const inForm = body instanceof URLSearchParams ? [...body.values()] : []
  return [...inHeaders, ...inForm].some((secret) => id.includes(secret)) ? null : storable(id, 200)
}

/** Foreign words as they can be stored: neither U+0000 nor half a surrogate pair, and not too many of them. */
export const storable = (text: string, length: number) =>
  text.slice(0, length).replaceAll('\0', '').toWellFormed()

function notAnswered(error: unknown, exchange: Exchange): PmsFailure {
  const more = { hint: 'Nothing to do: the push is tried again by itself.', exchange, cause: error }
  if (error instanceof EgressRefused)
    return new PmsFailure('validation_rejected', error.message, {
      ...more,
      hint: 'Set another base_url in the configuration of the channel target.',
    })
  if (error instanceof TimeOut) return new PmsFailure('timeout', 'The PMS did not answer in time.', more)
  if (error instanceof AnswerTooLong)
    return new PmsFailure('pms_unavailable', 'The PMS answered with more than is read.', more)
  return new PmsFailure('network', 'The PMS cannot be reached.', more)
}
