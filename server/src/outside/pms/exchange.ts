import { createHash } from 'node:crypto'
import { beginTrace, endTrace } from '#telemetry.ts'
import { PmsFailure, type Call, type Exchange } from './pms.ts'

export interface Answer {
  readonly status: number
  /** Parsed JSON; null when the body is none. */
  readonly body: unknown
  readonly retryAfter: Date | null
  readonly exchange: Exchange
}

interface Question {
  method: string
  url: string
  body: unknown
  token: string | null
  timeoutMs: number
  call: Call
}

const longestAnswerBytes = 1_048_576

/** One HTTP call with JSON both ways: a time-out, no redirect, a bounded answer, a span. @throws PmsFailure */
export async function exchangeJson({ method, url, body, token, timeoutMs, call }: Question): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const path = new URL(url).pathname
  const request = {
    method,
    path,
    payload_hash: `sha256:${createHash('sha256')
      .update(text ?? '')
      .digest('hex')}`,
  }
  const trace = beginTrace(`PMS ${method}`, 'client', call.traceparent, {
    'http.request.method': method,
    'url.path': path,
  })
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const reply = await fetch(url, {
      method,
      redirect: 'error',
      signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
      headers: {
        accept: 'application/json',
        traceparent: trace.traceparent,
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(call.idempotencyKey && { 'idempotency-key': call.idempotencyKey }),
      },
      ...(text !== undefined && { body: text }),
    })
    const answer = await bounded(reply)
    endTrace(trace, {
      failed: reply.status >= 400,
      attributes: { 'http.response.status_code': reply.status },
    })
    return {
      status: reply.status,
      body: parsed(answer),
      retryAfter: retryAfterOf(reply.headers.get('retry-after')),
      exchange: {
        request,
        response: {
          http_status: reply.status,
          request_id: reply.headers.get('x-request-id')?.slice(0, 200) ?? null,
          summary: summaryOf(answer),
        },
      },
    }
  } catch (error) {
    endTrace(trace, { failed: true })
    throw notAnswered(error, timeout, { request, response: null })
  }
}

async function bounded(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of reply.body ?? []) {
    bytes += (chunk as Uint8Array).length
    if (bytes > longestAnswerBytes) throw new Error('The answer is larger than 1 MiB.')
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Seconds or an HTTP date; never more than an hour away, so that a foreign clock cannot stop us for good. */
function retryAfterOf(header: string | null): Date | null {
  if (header === null) return null
  const at = /^\d+$/.test(header.trim()) ? Date.now() + Number(header) * 1_000 : Date.parse(header)
  return Number.isNaN(at) ? null : new Date(Math.min(at, Date.now() + 3_600_000))
}

/** The beginning of an answer, as far as it is safe to keep. */
function summaryOf(text: string): string {
  const error = (parsed(text) as { error?: { code?: unknown; message?: unknown } } | null)?.error
  if (error) return storable(`${wordOf(error.code)} ${wordOf(error.message)}`.trim(), 300)
  return `${Buffer.byteLength(text)} bytes`
}

/** Foreign words as they can be stored: neither U+0000 nor half a surrogate pair, and not too many of them. */
export const storable = (text: string, length: number) =>
  text.slice(0, length).replaceAll('\0', '').toWellFormed()

const wordOf = (part: unknown) => (typeof part === 'string' || typeof part === 'number' ? String(part) : '')

function notAnswered(error: unknown, timeout: AbortSignal, exchange: Exchange): PmsFailure {
  const hint = 'Nothing to do: the push is tried again by itself.'
  if (timeout.aborted)
    return new PmsFailure('timeout', 'The PMS did not answer in time.', { hint, exchange, cause: error })
  return new PmsFailure('network', 'The PMS cannot be reached.', { hint, exchange, cause: error })
}
