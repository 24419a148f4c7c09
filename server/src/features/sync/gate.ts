import { setTimeout as sleep } from 'node:timers/promises'
import { atomically, type Scope } from '#db/scope.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Gate } from '#outside/pms/pms-call.ts'
import type { Budget } from '#outside/pms/pms.ts'
import type { TargetConfig } from '../channel-targets/channel-target.ts'
import { learn, nothingSpent, spend, waitMs, type Spent } from './budget.ts'
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
 * The gate of one target. What was sent is kept in the target's row, locked while a permit is taken, so that all
 * processes share one budget. Targets without limits never touch the row.
 */
export function openGate(
  scope: Scope,
  target: {
    id: string
    budgets: readonly Budget[]
    failures: number
    signal?: AbortSignal | undefined
    /** No call begins after this time. */
    until?: number
  },
): OpenGate {
  let { failures } = target
  let writes: Promise<void> = Promise.resolve()
  const budgetOf = (kind: string) =>
    target.budgets.find((budget) => budget.kind === kind) ??
    target.budgets.find((budget) => budget.kind === anyKind)

  return {
    async pass(kind) {
      const budget = budgetOf(kind)
      for (;;) {
        if (failures >= failuresToOpen) throw circuitOpen()
        if (target.signal?.aborted || Date.now() > (target.until ?? Infinity)) throw broken()
        if (!budget) return
        const wait = await takePermit(scope, target.id, budget)
        if (wait === 0) return
        if (wait > patienceMs) throw overBudget(new Date(Date.now() + wait))
        await sleep(wait)
      }
    },
    answered(kind, heard) {
      failures = heard.status >= 500 ? failures + 1 : 0
      const budget = budgetOf(kind)
      if (!budget || (heard.status !== 429 && heard.limit === null && heard.remaining !== 0)) return
      writes = writes.then(() =>
        remember(scope, target.id, budget, (spent) => learn(budget, spent, heard, Date.now())),
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
const takePermit = (scope: Scope, targetId: string, budget: Budget): Promise<number> =>
  atomically(scope, async (transaction) => {
    const spent = (await lockSpent(transaction, targetId))[budget.kind] ?? nothingSpent
    const now = Date.now()
    const wait = Math.ceil(waitMs(budget, spent, now))
    if (wait === 0) await keepSpent(transaction, targetId, budget.kind, spend(budget, spent, now))
    return wait
  })

const remember = (scope: Scope, targetId: string, { kind }: Budget, change: (spent: Spent) => Spent) =>
  atomically(scope, async (transaction) => {
    const spent = (await lockSpent(transaction, targetId))[kind] ?? nothingSpent
    await keepSpent(transaction, targetId, kind, change(spent))
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
