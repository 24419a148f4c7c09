import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { Provider } from '#outside/pms/pms.ts'
import { enqueue, type Run } from '#queue/job.ts'
import { providerOf, type Connections } from '../channel-targets/connect-target.ts'
import { scheduleChecks } from './check-jobs.ts'
import type { CheckTiming } from './check-timing-queries.ts'
import { SyncTarget } from '../sync-requests/sync-jobs.ts'
import { nothingSpent, waitMs } from './budget.ts'
import { lockIfOpening, noteCircuit, probe } from './circuit.ts'
import { claimDue } from './claim-queries.ts'
import { budgetsOf } from './gate.ts'
import { frugally } from './frugally.ts'
import { isLarge, leaseMs, pushRound, type Done, type Round } from './push-round.ts'
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

export interface Engine extends Connections, CheckTiming {
  /** The share of pushes that are read back a while after. */
  readonly sampleShare: number
}

/** After this time a job leaves the rest to the next one, so that no target keeps a worker to itself. */
const jobMs = 60_000

/**
 * So few pushes are settled, and the next ones claimed, under one lock of the target. With more of them, changes of the
 * target would wait for all of that; nor are any prepared under it: a round costs a transaction more, and a change is
 * answered in two thirds of the time.
 */
const fewPushes = 8

/**
 * Brings the PMS of one target up to date: takes all its listings that are due, tells the PMS what differs in as few
 * calls as it allows, writes what came of it, and looks again, until nothing is due. One job at a time speaks to a
 * target; what changes meanwhile goes out together in the next round.
 */
export async function pushTarget(scope: Scope, engine: Engine, targetId: string, run: Run): Promise<void> {
  const begun = performance.now()
  const settle = async (transaction: Transaction, { round, results, failures }: Done) => {
    // The target before its lock, and that before its rows, as everybody does.
    await lockIfOpening(transaction, targetId, failures)
    await Promise.all([
      holdTarget(transaction, targetId),
      settlePushes(transaction, targetId, run, results, engine),
    ])
    await noteCircuit(transaction, round.target, results, failures)
    if (results.some(isToVerify)) await scheduleChecks(transaction, targetId)
  }
  const deliver = async (round: Round): Promise<Done | null> => {
    const done = await pushRound(scope, engine, round, run)
    const failures = done.results.map(({ delivery }) => delivery.failure)
    if (failures.some((failure) => failure?.code === 'timeout')) run.reportAnswer(false)
    else if (failures.includes(null)) run.reportAnswer(true)
    if (done.results.length <= fewPushes) return done
    await atomically(scope, (transaction) => settle(transaction, done))
    return null
  }
  let few: Done | null = null
  for (;;) {
    const unsettled: Done | null = few
    const isLast: boolean = run.signal.aborted || performance.now() > begun + jobMs
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

/** Something was sent, so that there is something to verify. */
const isToVerify = ({ action }: Done['results'][number]) =>
  action === 'sync.completed' || action === 'sync.repaired'

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
  if (target.status === 'inactive') return await letGo(transaction, targetId, run, 0)
  if (isLast) return await leave(transaction, targetId, run, 0)
  if (target.opened_at) {
    if (target.probe_in_ms! > 0) return await leave(transaction, targetId, run, target.probe_in_ms!)
    await takeTarget(transaction, targetId, run.jobId, leaseMs)
    return 'probe'
  }
  const provider = providerOf(engine, target)
  const wait = budgetWaitMs(provider, target)
  if (wait > 0) return await leave(transaction, targetId, run, wait)
  const claims = await claimDue(transaction, targetId, run.jobId, leaseMs, provider.parcelsPerPush)
  if (claims.length === 0) return await leave(transaction, targetId, run, 0)
  await takeTarget(transaction, targetId, run.jobId, leaseMs)
  return { target, claims }
}

/**
 * Lets the target go; a job comes back when something will be due, or when the PMS may be asked again. All by the
 * database's clock: with that of a process that is ahead, a job would come back at once, again and again.
 */
async function leave(transaction: Transaction, targetId: string, run: Run, forMs: number): Promise<null> {
  const [, { due, now }] = await Promise.all([
    letGo(transaction, targetId, run, forMs),
    nextDue(transaction, targetId),
  ])
  // An open circuit is probed although nothing waits; a budget is only waited for by what is due.
  if (due === null && forMs <= 0) return null
  const at = Math.max(due ?? 0, now + forMs)
  await enqueue(transaction, SyncTarget, [{ payload: { targetId }, at: at > now ? new Date(at) : null }])
  return null
}

async function letGo(transaction: Transaction, targetId: string, run: Run, forMs: number): Promise<null> {
  await Promise.all([
    releaseTarget(transaction, targetId, run.jobId, forMs),
    freeHeld(transaction, targetId, run.jobId),
  ])
  return null
}

/** How long until the first kind of call is allowed again; 0 when one is now. */
function budgetWaitMs(provider: Provider, { config, budgets, now }: TargetState): number {
  const limits = budgetsOf(provider.budgets, config)
  const waits = limits.map((budget) => waitMs(budget, budgets[budget.kind] ?? nothingSpent, now))
  return waits.length === 0 ? 0 : Math.min(...waits)
}
