import { createHmac } from 'node:crypto'
import { ResponseTooLarge } from '#egress/response.ts'
import { EgressRefused, type Egress } from '#egress/egress.ts'
import { parseRetryAfter } from './retry-policy.ts'

/** An event as it is sent to an endpoint. */
export interface WebhookMessage {
  readonly url: string
  readonly eventId: string
  readonly occurredAt: string
  /** JSON, as in the feed. */
  readonly event: string
  /** The current secret, and the previous one while it is still valid. */
  readonly secrets: readonly string[]
}

/** The result of one attempt. */
export interface DeliveryResult {
  /** `gone`: the endpoint asks never to be called again. */
  readonly outcome: 'delivered' | 'failed' | 'gone'
  readonly status: number | null
  /** The beginning of the response. */
  readonly body: string | null
  readonly error: string | null
  readonly timedOut: boolean
  readonly durationMs: number
  /** The delay that the endpoint asks for. */
  readonly retryAfterMs: number | null
}

const timeoutMs = 15_000
const maxResponseBytes = 65_536
const maxStoredCharacters = 1_024

/** Calls the endpoint once. @throws the reason of the signal, when it is aborted before the endpoint responds */
export async function sendWebhook(
  egress: Egress,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  // The feed's members, and the time under the name that Standard Webhooks gives it.
  const body = `{"timestamp":"${message.occurredAt}",${message.event.slice(1)}`
  const seconds = String(Math.floor(Date.now() / 1_000))
  const startedAt = performance.now()
  const finish = (
    result: Omit<DeliveryResult, 'timedOut' | 'durationMs' | 'retryAfterMs'>,
    retryAfterMs: number | null = null,
    timedOut = false,
  ) => ({
    ...result,
    timedOut,
    retryAfterMs,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const { status, headers, text } = await egress.request(message.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Vacancy',
        'webhook-id': message.eventId,
        'webhook-timestamp': seconds,
        'webhook-signature': buildSignatures(message, seconds, body),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      maxBytes: maxResponseBytes,
    })
    const retryAfter = headers['retry-after']
    const retryAfterMs = status >= 400 ? parseRetryAfter([retryAfter].flat()[0]) : null
    return finish({ ...resultOf(status), status, body: storedBody(text) }, retryAfterMs)
  } catch (error) {
    signal.throwIfAborted()
    // The status is the result, even if the body is too large.
    if (error instanceof ResponseTooLarge)
      return finish({ ...resultOf(error.status), status: error.status, body: null })
    const failed = { outcome: 'failed' as const, status: null, body: null, error: reasonFor(error) }
    return finish(failed, null, isTimeout(error))
  }
}

/** One signature for each valid secret; the receiver needs to verify only one of them. */
const buildSignatures = (
  { eventId, secrets }: Pick<WebhookMessage, 'eventId' | 'secrets'>,
  seconds: string,
  body: string,
): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`).digest('base64')}`
    })
    .join(' ')

function resultOf(status: number): Pick<DeliveryResult, 'outcome' | 'error'> {
  if (status >= 200 && status < 300) return { outcome: 'delivered', error: null }
  if (status === 410) return { outcome: 'gone', error: 'The endpoint responded with 410 (Gone).' }
  if (status >= 300 && status < 400)
    return {
      outcome: 'failed',
      error: `The endpoint responded with a redirect (${status}), which is not followed.`,
    }
  return { outcome: 'failed', error: `The endpoint responded with ${status}.` }
}

function reasonFor(error: unknown): string {
  if (error instanceof EgressRefused) return error.message
  if (isTimeout(error)) return `The endpoint did not respond within ${timeoutMs / 1_000} seconds.`
  return 'The endpoint could not be reached.'
}

const isTimeout = (error: unknown) => (error as Error).name === 'TimeoutError'

/** Without characters that PostgreSQL cannot store, and not cut inside a character. */
const storedBody = (text: string): string | null =>
  [...text.slice(0, maxStoredCharacters).replaceAll('\0', '')].join('').toWellFormed() || null
