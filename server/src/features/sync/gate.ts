import { setTimeout as sleep } from 'node:timers/promises'
import { atomically, type Scope } from '#db/scope.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Gate } from '#outside/pms/pms-call.ts'
import type { Budget } from '#outside/pms/pms.ts'
import type { TargetConfig } from '../channel-targets/channel-target.ts'
import { backgroundWaitMs, learn, nothingSpent, spend, waitMs, type Spent } from './budget.ts'
import { keepSpent, lockSpent } from './target-queries.ts'

export interface OpenGate extends Gate {
  /** Calls in a row that came to nothing. */
  failures(): number
  /** When everything that was learned is kept. */
  settled(): Promise<void>
}

/** So many failures in a row open the circuit: then only probes are sent. */
export const failuresToOpen = 5
/** Waiting inside a push is better than breaking it off, for a moment. */
const patienceMs = 3_000
/** The budget of every call that has none of its own. */
const anyKind = 'calls'

/** The limits of a target: what its configuration says, else what its provider documents. */
export function budgetsOf(budgets: readonly Budget[], config: TargetConfig): readonly Budget[] {
  const { rate_limit: own } = config
  if (!own) return budgets
  const kinds = budgets.length > 0 ? budgets.map(({ kind }) => kind) : [anyKind]
  return kinds.map((kind) => ({ kind, calls: own.requests, windowSeconds: own.window_seconds }))
}

/**
 * The gate of one target. What was sent is kept in one row for its property or account at the PMS, locked while a permit
 * is taken, so that all processes, and all targets that lead there, share one budget. Targets without limits never touch
 * the row.
 */
export function openGate(
  scope: Scope,
  target: {
    id: string
    budgets: readonly Budget[]
    failures: number
    signal?: AbortSignal | undefined
    /** No call begins after so long. */
    lastsMs?: number
    /** Whether only calls are made that pushes can spare. */
    isBackground?: boolean
  },
): OpenGate {
  let { failures } = target
  // What passes here is measured by a clock that nobody sets.
  const until = performance.now() + (target.lastsMs ?? Infinity)
  let writes: Promise<void> = Promise.resolve()
  const budgetOf = (kind: string) =>
    target.budgets.find((budget) => budget.kind === kind) ??
    target.budgets.find((budget) => budget.kind === anyKind)

  return {
    async pass(kind) {
      const budget = budgetOf(kind)
      for (;;) {
        if (failures >= failuresToOpen) throw circuitOpen()
        if (target.signal?.aborted || performance.now() > until) throw broken()
        if (!budget) return
        const wait = await takePermit(
          scope,
          target.id,
          budget,
          target.isBackground ? backgroundWaitMs : waitMs,
        )
        if (wait === 0) return
        if (wait > patienceMs) throw overBudget(new Date(Date.now() + wait))
        await sleep(wait)
      }
    },
    answered(kind, heard) {
      failures = heard.status >= 500 ? failures + 1 : 0
      const budget = budgetOf(kind)
      if (!budget || (heard.status !== 429 && heard.limit === null && heard.remaining !== 0)) return
      // Waits were reckoned from our clock when the answer came; what is remembered goes by the database's.
      const heardAt = Date.now()
      const inTime = (time: Date | null, now: number) => time && new Date(now + time.getTime() - heardAt)
      writes = writes.then(() =>
        remember(scope, target.id, budget, (spent, now) =>
          learn(
            budget,
            spent,
            { ...heard, retryAfter: inTime(heard.retryAfter, now), resetAt: inTime(heard.resetAt, now) },
            now,
          ),
        ),
      )
    },
    failed() {
      failures++
    },
    failures: () => failures,
    settled: () => writes,
  }
}

/** Takes a permit; or how long to wait for one, in milliseconds. */
const takePermit = (
  scope: Scope,
  targetId: string,
  budget: Budget,
  waitFor: typeof waitMs,
): Promise<number> =>
  atomically(scope, async (transaction) => {
    const { budgets, now } = await lockSpent(transaction, targetId)
    const spent = budgets[budget.kind] ?? nothingSpent
    const wait = Math.ceil(waitFor(budget, spent, now))
    if (wait === 0) await keepSpent(transaction, targetId, budget.kind, spend(budget, spent, now))
    return wait
  })

const remember = (
  scope: Scope,
  targetId: string,
  { kind }: Budget,
  change: (spent: Spent, now: number) => Spent,
) =>
  atomically(scope, async (transaction) => {
    const { budgets, now } = await lockSpent(transaction, targetId)
    await keepSpent(transaction, targetId, kind, change(budgets[kind] ?? nothingSpent, now))
  })

const again = 'Nothing to do: the push goes on by itself.'
const overBudget = (retryAfter: Date) =>
  new PmsFailure('rate_limited', 'The PMS allows no more calls for the moment.', {
    hint: again,
    retryAfter,
    isHeldBack: true,
  })
const circuitOpen = () =>
  new PmsFailure('circuit_open', 'The PMS has not answered for a while; it is asked every ten seconds.', {
    hint: again,
    isHeldBack: true,
  })
const broken = () =>
  new PmsFailure('internal', 'The push was broken off before this was sent.', {
    hint: again,
    isHeldBack: true,
  })
