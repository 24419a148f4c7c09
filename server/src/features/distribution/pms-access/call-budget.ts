import type { RateLimitHeaders } from '#integrations/pms/pms-call.ts'
import type { Budget } from '#integrations/pms/pms-provider.ts'

/** The stored calls of one kind: when the last ones were sent, and the limits that the PMS has reported. */
export interface CallHistory {
  /** Milliseconds since 1970, oldest first; only those inside the window. */
  readonly sent: readonly number[]
  readonly blocked_until?: number
  /** 429s in a row. */
  readonly refusals?: number
  /** The limit that the PMS reported last; it applies when it is lower than the configured one. */
  readonly calls?: number
  /** The largest limit and the longest window of any target of the property: their configurations may differ. */
  readonly kept?: { readonly calls: number; readonly windowSeconds: number }
}

export const noCalls: CallHistory = { sent: [] }

const limitOf = (budget: Budget, { calls }: CallHistory) =>
  Math.max(1, Math.min(budget.calls, calls ?? Infinity))
/** A call that ends later after its permit may have reached the PMS so late that it counts in a later window. */
export const slowCallMs = 250
/** A little longer than the window of the PMS, because clocks differ and a call takes time to arrive. */
const windowMs = ({ windowSeconds }: Budget) => windowSeconds * 1_000 + slowCallMs
const inWindow = (budget: Budget, { sent }: CallHistory, now: number) =>
  sent.filter((at) => at > now - windowMs(budget))

/**
 * How long until the next call may be sent, in milliseconds. The exact times of the calls are stored, so that no
 * window, wherever it begins, contains more calls than the PMS allows; a token bucket would send up to twice as many.
 * The first half of a window is available at once; each further call reserves a longer part of the window, because a
 * later message includes all changes until then.
 */
export function waitMs(budget: Budget, spent: CallHistory, now: number): number {
  const limit = limitOf(budget, spent)
  const half = Math.ceil(limit / 2)
  const sent = inWindow(budget, spent, now)
  let until = spent.blocked_until ?? 0
  for (let count = half; count <= Math.min(limit, sent.length); count++) {
    const partMs = (windowMs(budget) * (count - half + 1)) / (limit - half + 1)
    until = Math.max(until, sent[sent.length - count]! + partMs)
  }
  return Math.max(0, until - now)
}

/** The same for calls that are not urgent: they leave half of each window to pushes. */
export function backgroundWaitMs(budget: Budget, spent: CallHistory, now: number): number {
  const half = Math.max(1, Math.floor(limitOf(budget, spent) / 2))
  const sent = inWindow(budget, spent, now)
  const until = sent.length < half ? 0 : sent[sent.length - half]! + windowMs(budget)
  return Math.max(waitMs(budget, spent, now), until - now)
}

export function recordCall(budget: Budget, spent: CallHistory, now: number): CallHistory {
  const kept = {
    calls: Math.max(budget.calls, spent.kept?.calls ?? 1),
    windowSeconds: Math.max(budget.windowSeconds, spent.kept?.windowSeconds ?? 0),
  }
  const sent = inWindow({ ...budget, ...kept }, spent, now)
  return { ...spent, kept, sent: [...sent, now].slice(-kept.calls) }
}

/** Moves a slow call from the time of its permit to its end, which no arrival at the PMS comes after. */
export function recordSlowCall(spent: CallHistory, permittedAt: number, now: number): CallHistory {
  const index = spent.sent.indexOf(permittedAt)
  return index === -1 ? spent : { ...spent, sent: [...spent.sent.toSpliced(index, 1), now] }
}

const maxBlockMs = 60_000

/** Updates the history from the rate limit headers of a response. */
export function updateFromResponse(
  budget: Budget,
  spent: CallHistory,
  headers: RateLimitHeaders,
  now: number,
): CallHistory {
  const calls = headers.limit !== null && headers.limit > 0 ? headers.limit : spent.calls
  const learned = { ...spent, ...(calls !== undefined && { calls }) }
  if (headers.status === 429) {
    const refusals = (spent.refusals ?? 0) + 1
    const pause = Math.min(
      maxBlockMs,
      Math.max(1_000, ((budget.windowSeconds * 1_000) / budget.calls) * 2 ** (refusals - 1)),
    )
    return { ...learned, refusals, blocked_until: headers.retryAfter?.getTime() ?? now + pause }
  }
  if (headers.remaining === 0 && headers.resetAt)
    return { ...learned, refusals: 0, blocked_until: headers.resetAt.getTime() }
  return { ...learned, refusals: 0 }
}

/** The state of a budget for users: the remaining calls, and when the next one may be sent. */
export function budgetState(budget: Budget, spent: CallHistory, now: number) {
  const limit = limitOf(budget, spent)
  const wait = waitMs(budget, spent, now)
  return {
    kind: budget.kind,
    limit,
    window_seconds: budget.windowSeconds,
    remaining: Math.max(0, limit - inWindow(budget, spent, now).length),
    next_call_at: wait > 0 ? new Date(now + wait).toISOString() : null,
  }
}
