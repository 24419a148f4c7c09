import { createHmac } from 'node:crypto'
import { AnswerTooLong } from '#egress-reply.ts'
import { EgressRefused, type Egress } from '#egress.ts'
import { patienceMs } from './schedule.ts'

/** What is sent: an event, as a partner reads it. */
export interface Message {
  readonly url: string
  readonly eventId: string
  readonly type: string
  readonly occurredAt: string
  /** JSON. */
  readonly data: string
  /** The current secret, and the one before while it still counts. */
  readonly secrets: readonly string[]
}

/** What became of one attempt. */
export interface Outcome {
  /** `gone`: the receiver wants no more, ever. */
  readonly result: 'delivered' | 'failed' | 'gone'
  readonly status: number | null
  /** The beginning of the answer. */
  readonly body: string | null
  readonly error: string | null
  /** The receiver did not answer in time. */
  readonly timedOut: boolean
  readonly durationMs: number
  /** The receiver asks not to be called before. */
  readonly askedMs: number | null
}

const timeoutMs = 15_000
const longestAnswerBytes = 65_536
const keptCharacters = 1_024

/** Calls the receiver once. @throws what `stopping` says, when it ends before the receiver answers */
export async function sendWebhook(egress: Egress, message: Message, stopping: AbortSignal): Promise<Outcome> {
  const body = `{"id":"${message.eventId}","type":"${message.type}","timestamp":"${message.occurredAt}","data":${message.data}}`
  const seconds = String(Math.floor(Date.now() / 1_000))
  const began = performance.now()
  const ended = (
    outcome: Omit<Outcome, 'timedOut' | 'durationMs' | 'askedMs'>,
    askedMs: number | null = null,
    timedOut = false,
  ) => ({
    ...outcome,
    timedOut,
    askedMs,
    durationMs: Math.round(performance.now() - began),
  })
  try {
    const { status, headers, text } = await egress.request(message.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Vacancy',
        'webhook-id': message.eventId,
        'webhook-timestamp': seconds,
        'webhook-signature': signatures(message, seconds, body),
      },
      body,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
      longestBytes: longestAnswerBytes,
    })
    const retryAfter = headers['retry-after']
    const patience = status >= 400 ? patienceMs([retryAfter].flat()[0]) : null
    return ended({ ...judged(status), status, body: beginningOf(text) }, patience)
  } catch (error) {
    stopping.throwIfAborted()
    // What the receiver thinks of it stands in the status, however long it goes on.
    if (error instanceof AnswerTooLong)
      return ended({ ...judged(error.status), status: error.status, body: null })
    const failed = { result: 'failed' as const, status: null, body: null, error: reasonFor(error) }
    return ended(failed, null, isTimeout(error))
  }
}

/** One for each secret that counts: a receiver needs to find only one that it can verify. */
export const signatures = (
  { eventId, secrets }: Pick<Message, 'eventId' | 'secrets'>,
  seconds: string,
  body: string,
): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`).digest('base64')}`
    })
    .join(' ')

function judged(status: number): Pick<Outcome, 'result' | 'error'> {
  if (status >= 200 && status < 300) return { result: 'delivered', error: null }
  if (status === 410) return { result: 'gone', error: 'The endpoint wants no more events (410).' }
  if (status >= 300 && status < 400)
    return { result: 'failed', error: `The endpoint leads elsewhere (${status}); that is not followed.` }
  return { result: 'failed', error: `The endpoint answers with ${status}.` }
}

function reasonFor(error: unknown): string {
  if (error instanceof EgressRefused) return error.message
  if (isTimeout(error)) return `The endpoint did not answer within ${timeoutMs / 1_000} seconds.`
  return 'The endpoint cannot be reached.'
}

const isTimeout = (error: unknown) => (error as Error).name === 'TimeoutError'

/** Without what the database cannot hold, and not cut through a character. */
const beginningOf = (text: string): string | null =>
  [...text.slice(0, keptCharacters).replaceAll('\0', '')].join('').toWellFormed() || null
