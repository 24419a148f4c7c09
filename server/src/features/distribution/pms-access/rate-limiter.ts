import { setTimeout as sleep } from 'node:timers/promises'
import { atomically, type Scope } from '#db/scope.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { RateLimiter } from '#integrations/pms/pms-call.ts'
import type { Budget } from '#integrations/pms/pms-provider.ts'
import type { TargetConfig } from '#features/distribution/channel-targets/channel-target.ts'
import {
  backgroundWaitMs,
  updateFromResponse,
  noCalls,
  recordCall,
  recordSlowCall,
  slowCallMs,
  waitMs,
  type CallHistory,
} from './call-budget.ts'
import { saveCallHistory, lockCallHistory } from './queries.ts'

export interface TargetRateLimiter extends RateLimiter {
  /** The number of consecutive failed calls. */
  failures(): number
  /** Resolves when all updates of the call history are saved. */
  settled(): Promise<void>
}

export interface CallLimits {
  readonly signal?: AbortSignal | undefined
  /** No call starts after this time. */
  readonly lastsMs?: number
  /** Whether only calls are made that pushes do not need. */
  readonly isBackground?: boolean
}

/** This many consecutive failures open the circuit: then only probes are sent. */
export const failuresToOpen = 5
/** Up to this time a push waits for its next call instead of being interrupted. */
const maxWaitMs = 3_000
/** The budget of calls without a kind of their own. */
const anyKind = 'calls'

/** The limits of a target: those of its configuration, else those that its provider documents. */
export function budgetsOf(budgets: readonly Budget[], config: TargetConfig): readonly Budget[] {
  const { rate_limit: own } = config
  if (!own) return budgets
  const kinds = budgets.length > 0 ? budgets.map(({ kind }) => kind) : [anyKind]
  return kinds.map((kind) => ({ kind, calls: own.requests, windowSeconds: own.window_seconds }))
}

/**
 * The rate limiter of one target. The history of calls is one row per property or account at the PMS, which is locked
 * for each call, so that all processes and all targets of the property share one budget. Targets without limits do
 * not use the row.
 */
export function openRateLimiter(
  scope: Scope,
  target: CallLimits & {
    readonly id: string
    readonly budgets: readonly Budget[]
    readonly failures: number
  },
): TargetRateLimiter {
  let { failures } = target
  // The monotonic clock, which is never adjusted.
  const until = performance.now() + (target.lastsMs ?? Infinity)
  let writes: Promise<void> = Promise.resolve()
  /** The permits of the calls under way, oldest first, by kind of budget. */
  const permits = new Map<string, Permit[]>()
  const budgetOf = (kind: string) =>
    target.budgets.find((budget) => budget.kind === kind) ??
    target.budgets.find((budget) => budget.kind === anyKind)
  const save = (budget: Budget, change: (spent: CallHistory, now: number) => CallHistory) => {
    writes = writes.then(() => remember(scope, target.id, budget, change))
  }
  const endCall = (budget: Budget) => {
    const permit = permits.get(budget.kind)?.shift()
    if (permit && performance.now() - permit.requestedAt > slowCallMs)
      save(budget, (spent, now) => recordSlowCall(spent, permit.permittedAt, now))
  }

  return {
    async acquire(kind) {
      const budget = budgetOf(kind)
      for (;;) {
        if (failures >= failuresToOpen) throw circuitOpen()
        if (target.signal?.aborted || performance.now() > until) throw interrupted()
        if (!budget) return
        const requestedAt = performance.now()
        const { wait, now } = await takePermit(
          scope,
          target.id,
          budget,
          target.isBackground ? backgroundWaitMs : waitMs,
        )
        if (wait === 0) {
          const underWay = permits.get(budget.kind) ?? []
          permits.set(budget.kind, [...underWay, { permittedAt: now, requestedAt }])
          return
        }
        if (wait > maxWaitMs) throw overBudget(new Date(Date.now() + wait))
        await sleep(wait)
      }
    },
    recordResponse(kind, headers) {
      failures = headers.status >= 500 ? failures + 1 : 0
      const budget = budgetOf(kind)
      if (!budget) return
      endCall(budget)
      if (headers.status !== 429 && headers.limit === null && headers.remaining !== 0) return
      // The waits were computed with the clock of this process; the history uses that of the database.
      const receivedAt = Date.now()
      const inTime = (time: Date | null, now: number) => time && new Date(now + time.getTime() - receivedAt)
      save(budget, (spent, now) =>
        updateFromResponse(
          budget,
          spent,
          {
            ...headers,
            retryAfter: inTime(headers.retryAfter, now),
            resetAt: inTime(headers.resetAt, now),
          },
          now,
        ),
      )
    },
    recordFailure(kind) {
      failures++
      const budget = budgetOf(kind)
      if (budget) endCall(budget)
    },
    failures: () => failures,
    settled: () => writes,
  }
}

/** When a call was permitted, by the clock of the database, and requested, by the monotonic clock of this process. */
interface Permit {
  readonly permittedAt: number
  readonly requestedAt: number
}

/** Reserves a call, with a wait of 0; otherwise returns how long to wait, in milliseconds. */
const takePermit = (
  scope: Scope,
  targetId: string,
  budget: Budget,
  waitFor: typeof waitMs,
): Promise<{ wait: number; now: number }> =>
  atomically(scope, async (transaction) => {
    const { budgets, now } = await lockCallHistory(transaction, targetId)
    const spent = budgets[budget.kind] ?? noCalls
    const wait = Math.ceil(waitFor(budget, spent, now))
    if (wait === 0) await saveCallHistory(transaction, targetId, budget.kind, recordCall(budget, spent, now))
    return { wait, now }
  })

const remember = (
  scope: Scope,
  targetId: string,
  { kind }: Budget,
  change: (spent: CallHistory, now: number) => CallHistory,
) =>
  atomically(scope, async (transaction) => {
    const { budgets, now } = await lockCallHistory(transaction, targetId)
    await saveCallHistory(transaction, targetId, kind, change(budgets[kind] ?? noCalls, now))
  })

const goesOnByItself = 'No action is needed: the push continues automatically.'
const overBudget = (retryAfter: Date) =>
  new PmsFailure('rate_limited', 'The PMS allows no more calls at the moment.', {
    hint: goesOnByItself,
    retryAfter,
    isThrottledLocally: true,
  })
const circuitOpen = () =>
  new PmsFailure('circuit_open', 'The PMS is not responding; it is checked every ten seconds.', {
    hint: goesOnByItself,
    isThrottledLocally: true,
  })
const interrupted = () =>
  new PmsFailure('internal', 'The push was interrupted before this was sent.', {
    hint: goesOnByItself,
    isThrottledLocally: true,
  })
