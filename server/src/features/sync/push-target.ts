import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { Provider } from '#outside/pms/pms.ts'
import { enqueue, type Run } from '#queue/job.ts'
import { providerOf, type Connections } from '../channel-targets/connect-target.ts'
import { SyncTarget } from '../sync-requests/sync-jobs.ts'
import { nothingSpent, waitMs } from './budget.ts'
import { lockIfOpening, noteCircuit, probe } from './circuit.ts'
import { claimDue } from './claim-queries.ts'
import { budgetsOf } from './gate.ts'
import { frugally } from './frugally.ts'
import { isLarge, leaseMs, prepareRound, pushRound, type Done, type Round } from './push-round.ts'
import { settlePushes } from './settle-pushes.ts'
import {
  freeHeld,
  holdTarget,
  lockTarget,
  nextDue,
  releaseTarget,
  takeTarget,
  type TargetState,
} from './target-queries.ts'

export interface Engine extends Connections {
  /** The share of pushes that are read back a while after. */
  readonly sampleShare: number
}

/** After this time a job leaves the rest to the next one, so that no target keeps a worker to itself. */
const jobMs = 60_000

/**
 * So few pushes are settled, and the next ones claimed and prepared, under one lock of the target: two transactions for
 * a round instead of four. With more of them, changes of the target would wait for all of that.
 */
const fewPushes = 8

/**
 * Brings the PMS of one target up to date: takes all its listings that are due, tells the PMS what differs in as few
 * calls as it allows, writes what came of it, and looks again, until nothing is due. One job at a time speaks to a
 * target; what changes meanwhile goes out together in the next round.
 */
export async function pushTarget(scope: Scope, engine: Engine, targetId: string, run: Run): Promise<void> {
  const begun = Date.now()
  const settle = async (transaction: Transaction, { round, results, failures }: Done) => {
    // The target before its lock, and that before its rows, as everybody does.
    await lockIfOpening(transaction, targetId, failures)
    await holdTarget(transaction, targetId)
    await settlePushes(transaction, targetId, run, results, engine.sampleShare)
    await noteCircuit(transaction, round.target, results, failures)
  }
  const deliver = async (round: Round): Promise<Done | null> => {
    const done = await pushRound(scope, engine, round, run)
    if (done.results.length <= fewPushes) return done
    await atomically(scope, (transaction) => settle(transaction, done))
    return null
  }
  let few: Done | null = null
  for (;;) {
    const unsettled: Done | null = few
    const isLast: boolean = run.signal.aborted || Date.now() > begun + jobMs
    const next: Round | 'probe' | null = await atomically(scope, async (transaction) => {
      if (unsettled) await settle(transaction, unsettled)
      return await turn(transaction, engine, targetId, run, isLast)
    })
    few = null
    if (next === null) return
    if (next === 'probe') await probe(scope, engine, targetId)
    else few = await (isLarge(next) ? frugally(() => deliver(next)) : deliver(next))
  }
}

/** With the target locked: takes what is due, or lets the target go. */
async function turn(
  transaction: Transaction,
  engine: Engine,
  targetId: string,
  run: Run,
  isLast: boolean,
): Promise<Round | 'probe' | null> {
  const target = await lockTarget(transaction, targetId, run.jobId)
  if (!target || target.taken) return null
  if (target.status === 'inactive') return await letGo(transaction, targetId, run, null)
  if (isLast) return await leave(transaction, targetId, run, new Date())
  if (target.opened_at) {
    if (!target.probe_due) return await leave(transaction, targetId, run, new Date(target.probe_at!))
    await takeTarget(transaction, targetId, run.jobId, leaseMs)
    return 'probe'
  }
  const provider = providerOf(engine, target)
  const freeAt = budgetFreeAt(provider, target)
  if (freeAt) return await leave(transaction, targetId, run, freeAt)
  const claims = await claimDue(transaction, targetId, run.jobId, leaseMs, provider.parcelsPerPush)
  if (claims.length === 0) return await leave(transaction, targetId, run, null)
  await takeTarget(transaction, targetId, run.jobId, leaseMs)
  if (claims.length > fewPushes) return { target, claims, pushes: null }
  return { target, claims, pushes: await prepareRound(transaction, engine, target, claims, run) }
}

/** Lets the target go; a job comes back when something will be due, or when the PMS may be asked again. */
async function leave(
  transaction: Transaction,
  targetId: string,
  run: Run,
  notBefore: Date | null,
): Promise<null> {
  await letGo(transaction, targetId, run, notBefore)
  const due = await nextDue(transaction, targetId)
  const at = Math.max(due ? Date.parse(due) : 0, notBefore?.getTime() ?? 0)
  // An open circuit is probed although nothing waits; a budget is only waited for by what is due.
  if (due === null && !(notBefore && at > Date.now())) return null
  await enqueue(transaction, SyncTarget, [
    { payload: { targetId }, at: at > Date.now() ? new Date(at) : null },
  ])
  return null
}

async function letGo(
  transaction: Transaction,
  targetId: string,
  run: Run,
  notBefore: Date | null,
): Promise<null> {
  const waitsUntil = notBefore && notBefore > new Date() ? notBefore : null
  await releaseTarget(transaction, targetId, run.jobId, waitsUntil)
  await freeHeld(transaction, targetId, run.jobId)
  return null
}

/** When the first kind of call is allowed again, if none is now. */
function budgetFreeAt(provider: Provider, { config, budgets }: TargetState): Date | null {
  const limits = budgetsOf(provider.budgets, config)
  if (limits.length === 0) return null
  const now = Date.now()
  const waits = limits.map((budget) => waitMs(budget, budgets[budget.kind] ?? nothingSpent, now))
  const shortest = Math.min(...waits)
  return shortest > 0 ? new Date(now + shortest) : null
}
