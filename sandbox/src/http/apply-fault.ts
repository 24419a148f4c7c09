import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bodyText, headerOf } from './request.ts'
import type { Call, Calls } from './calls.ts'
import { retryAfter, type Fault, type Faults, type FaultMatch } from './faults.ts'

/** How one vendor words the replies of faults. */
export interface FaultReplies {
  /** JSON of another shape than the API promises. */
  malformed: object
  /** The body of a refusal in the vendor's error format. */
  refusal: (fault: Fault, status: number) => object
  /** The vendor promises no `retry-after`: it is sent only if the rule names it. */
  omitsRetryAfter?: true
}

/** What the log of calls and the rules of faults know of a call beside its method, its body and its trace. */
export type CallSubject = Pick<Call, 'path' | 'property' | 'external_id' | 'external_ids'> & {
  idempotency_key?: string | undefined
}

export interface Interception {
  calls: Calls
  faults: Faults
  replies: FaultReplies
  subjectOf: (request: FastifyRequest) => CallSubject
  stopping: AbortSignal
}

/** Records each call of the routes of `app`, then applies the fault that a rule sets for it. */
export function interceptCalls(app: FastifyInstance, interception: Interception) {
  const { calls, faults, replies, subjectOf, stopping } = interception
  app.addHook('preHandler', (request, reply, done) => {
    const call = recordCall(calls, request, reply, subjectOf(request))
    const match = faults.match(call)
    if (!match) return done()
    applyFault(match, { call, request, reply, replies, stopping }).then(
      (outcome) => outcome === 'continue' && done(),
      done,
    )
  })
}

export function recordCall(
  calls: Calls,
  request: FastifyRequest,
  reply: FastifyReply,
  { idempotency_key, ...subject }: CallSubject,
): Call {
  const call = calls.record({
    method: request.method,
    ...subject,
    idempotency_key: idempotency_key ?? null,
    traceparent: headerOf(request, 'traceparent') ?? null,
    text: bodyText(request),
  })
  reply.raw.on('finish', () => (call.status = reply.raw.statusCode))
  return call
}

interface FaultContext {
  call: Call
  request: FastifyRequest
  reply: FastifyReply
  replies: FaultReplies
  stopping: AbortSignal
}

/** Returns `continue` when the handler has to run; otherwise the fault has answered, or no answer will come. */
export async function applyFault(
  match: FaultMatch,
  { call, request, reply, replies, stopping }: FaultContext,
): Promise<'continue' | 'over'> {
  const { fault, cleared } = match
  call.fault = fault.mode
  const delayMs = fault.delay_ms ?? (fault.mode === 'slow' ? 1000 : 0)
  if (delayMs > 0) await sleepUntil(AbortSignal.any([stopping, cleared]), delayMs)
  stopping.throwIfAborted()
  switch (fault.mode) {
    case 'slow':
    case 'refuse_values':
      return 'continue'
    case 'lose_reply':
      loseReply(request)
      return 'continue'
    case 'down':
      reply.hijack()
      request.raw.socket.destroy()
      return 'over'
    case 'hang':
      reply.hijack()
      return 'over'
    case 'garbage':
      if (fault.code === 'shape') reply.send(replies.malformed)
      else reply.header('content-type', 'application/json').send(Buffer.from(cachedPage))
      return 'over'
    case 'refuse':
    case 'rate_limit': {
      const status = fault.status ?? (fault.mode === 'rate_limit' ? 429 : 503)
      const omitted = replies.omitsRetryAfter && fault.retry_after === undefined
      const wait = omitted ? undefined : retryAfter(match)
      if (wait !== undefined) reply.header('retry-after', wait)
      reply.code(status).send(replies.refusal(fault, status))
      return 'over'
    }
  }
}

const sleepUntil = (signal: AbortSignal, delayMs: number) =>
  sleep(delayMs, undefined, { signal, ref: false }).catch(() => {})

/** Calls whose work is done, and whose connection closes in place of the reply. */
const lostReplies = new WeakSet<FastifyRequest>()

export const loseReply = (request: FastifyRequest) => void lostReplies.add(request)

export const isReplyLost = (request: FastifyRequest) => lostReplies.has(request)

/** The kind of page that a proxy or a cache answers in place of an API. */
const cachedPage = '<html><body>It works!</body></html>'
