import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { noCalls, waitMs } from '#features/distribution/pms-access/call-budget.ts'
import { lockIfOpening, probe, updateCircuit } from '#features/distribution/pms-access/circuit-breaker.ts'
import { providerOf, type Connections, connectTarget } from '#features/distribution/pms-access/connect.ts'
import {
  blockChanges,
  blockClaims,
  claimTarget,
  lockTarget,
  nextDue,
  releaseTarget,
  type TargetState,
} from '#features/distribution/pms-access/queries.ts'
import { budgetsOf, openRateLimiter } from '#features/distribution/pms-access/rate-limiter.ts'
import { CheckTarget, SyncTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { claimDue, releaseSuspended } from '#features/distribution/sync/state-queries.ts'
import { type VerificationTiming, maxAttempts } from '#features/distribution/sync/state.ts'
import { recordPushes } from './record-results.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { Claim, Push, PushResult } from '#features/distribution/sync/push.ts'
import { deliverPushes } from './deliver.ts'
import { failedUpdate } from './update-result.ts'
import { planPushes } from './plan-push.ts'

interface EngineOptions extends Connections, VerificationTiming {
  /** The share of pushes that are read back half a minute later. */
  readonly sampleShare: number
}

/** After this time a job leaves the rest to the next one, so that no target occupies a worker. */
const maxJobMs = 60_000

/**
 * Brings the PMS of one target up to date: claims its due listings, sends the differences in as few calls as the PMS
 * allows, records the results, and repeats until nothing is due. One job at a time works on a target; later changes
 * are sent together in the next round. Changes of the target wait only while listings are claimed.
 */
export async function runTarget(
  scope: Scope,
  engine: EngineOptions,
  targetId: string,
  run: JobRun,
): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const isLast = run.signal.aborted || performance.now() > startedAt + maxJobMs
    const next = await atomically(scope, (transaction) =>
      claimRound(transaction, engine, targetId, run, isLast),
    )
    if (next === null) return
    if (next === 'probe') await probe(scope, engine, targetId)
    else {
      const done = await pushRound(scope, engine, next, run)
      reportAnswers(run, done)
      await atomically(scope, (transaction) => recordRound(transaction, engine, done, run))
    }
  }
}

/** Reports to the queue whether the PMS responds, so that one that hangs does not occupy the slots of others. */
function reportAnswers(run: JobRun, { results }: RoundResult): void {
  const failures = results.map(({ update }) => update.failure)
  if (failures.some((failure) => failure?.code === 'timeout')) run.reportResponse(false)
  else if (failures.includes(null)) run.reportResponse(true)
}

async function recordRound(
  transaction: Transaction,
  engine: EngineOptions,
  { target, results, failures }: RoundResult,
  run: JobRun,
): Promise<void> {
  const mayChangeCircuit = failures > 0 || target.failures > 0
  // The lock order of all code: the record of the target, its lock, its rows.
  if (mayChangeCircuit) await lockIfOpening(transaction, target.id, failures)
  const lock = mayChangeCircuit ? blockChanges : blockClaims
  await Promise.all([
    lock(transaction, target.id),
    recordPushes(transaction, target.id, run, results, engine),
  ])
  // The PMS works again; the next regular check may be five minutes away.
  if (
    target.status === 'error' &&
    results.some(({ update }) => update.exchanges.length > 0 && !update.failure)
  )
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: target.id } }])
  if (mayChangeCircuit)
    await updateCircuit(
      transaction,
      target,
      results.map(({ update }) => update),
      failures,
    )
}

/** With the target locked, claims what is due, or releases the target. */
async function claimRound(
  transaction: Transaction,
  engine: EngineOptions,
  targetId: string,
  run: JobRun,
  isLast: boolean,
): Promise<Round | 'probe' | null> {
  const target = await lockTarget(transaction, targetId, run.jobId)
  if (!target || target.taken) return null
  if (target.status === 'inactive') return await release(transaction, targetId, run, 0)
  if (isLast) return await releaseUntilDue(transaction, targetId, run, 0)
  if (target.opened_at) {
    if (target.probe_in_ms! > 0) return await releaseUntilDue(transaction, targetId, run, target.probe_in_ms!)
    claimTarget(transaction, targetId, run.jobId, leaseMs)
    return 'probe'
  }
  const provider = providerOf(engine, target)
  const wait = budgetWaitMs(provider, target)
  if (wait > 0) return await releaseUntilDue(transaction, targetId, run, wait)
  const claims = await claimDue(transaction, targetId, run.jobId, leaseMs, provider.unitsPerPush)
  if (claims.length === 0) return await releaseUntilDue(transaction, targetId, run, 0)
  claimTarget(transaction, targetId, run.jobId, leaseMs)
  return { target, claims }
}

/**
 * Releases the target, and enqueues a job for the time when something is due or the PMS may be called again. All
 * times are those of the database: with a process clock that is ahead, jobs would run again and again.
 */
async function releaseUntilDue(
  transaction: Transaction,
  targetId: string,
  run: JobRun,
  waitMs: number,
): Promise<null> {
  const [, { due, now }] = await Promise.all([
    release(transaction, targetId, run, waitMs),
    nextDue(transaction, targetId),
  ])
  // An open circuit is probed even if nothing waits; a budget delays only what is due.
  if (due === null && waitMs <= 0) return null
  const at = Math.max(due ?? 0, now + waitMs)
  await enqueue(transaction, SyncTarget, [{ payload: { targetId }, at: at > now ? new Date(at) : null }])
  return null
}

async function release(
  transaction: Transaction,
  targetId: string,
  run: JobRun,
  waitMs: number,
): Promise<null> {
  await Promise.all([
    releaseTarget(transaction, targetId, run.jobId, waitMs),
    releaseSuspended(transaction, targetId, run.jobId),
  ])
  return null
}

/** How long until the first kind of call is allowed; 0 when one is allowed now. */
function budgetWaitMs(provider: Provider, { config, budgets, now }: TargetState): number {
  const limits = budgetsOf(provider.budgets, config)
  const waits = limits.map((budget) => waitMs(budget, budgets[budget.kind] ?? noCalls, now))
  return waits.length === 0 ? 0 : Math.min(...waits)
}

/**
 * Longer than one round may take. It matters only when a job is lost; the job of a killed worker is started again
 * without this wait.
 */
const leaseMs = 180_000
/** No new call starts after this time. */
const maxRoundMs = 40_000

/** All pushes of one target that are sent together. */
interface Round {
  readonly target: TargetState
  readonly claims: readonly Claim[]
}

interface RoundResult {
  readonly target: TargetState
  readonly results: readonly PushResult[]
  /** The number of consecutive failed calls. */
  readonly failures: number
}

/** Sends the differences of the claimed listings to the PMS. Nothing is locked meanwhile. */
async function pushRound(
  scope: Scope,
  connections: Connections,
  { target, claims }: Round,
  run: JobRun,
): Promise<RoundResult> {
  const provider = providerOf(connections, target)
  const pushes = await atomically(scope, (transaction) =>
    planPushes(transaction, target.id, provider, claims),
  )
  const limiter = openRateLimiter(scope, {
    id: target.id,
    budgets: budgetsOf(provider.budgets, target.config),
    failures: target.failures,
    signal: run.signal,
    lastsMs: maxRoundMs,
  })
  const traceparent = pushes[0]?.claim.traceparent ?? scope.traceparent
  const call = { rateLimiter: limiter, signal: run.signal, traceparent }
  const results = await deliverAll(scope, connections, target, pushes, call)
  await limiter.settled()
  return {
    target,
    results: run.signal.aborted ? results.map(interrupted) : results,
    failures: run.signal.aborted ? target.failures : limiter.failures(),
  }
}

async function deliverAll(
  scope: Scope,
  connections: Connections,
  target: TargetState,
  pushes: readonly Push[],
  call: CallContext,
): Promise<PushResult[]> {
  const results: PushResult[] = []
  const remaining: Push[] = []
  for (const push of pushes) {
    const failure = push.failure ?? (push.claim.attempts > maxAttempts ? interruptedTooOften() : null)
    if (failure) results.push(failed(push, failure))
    else remaining.push(push)
  }
  try {
    const connection = connectTarget(connections, scope.orgId, target)
    const provider = providerOf(connections, target)
    const context = { scope, targetId: target.id, provider, connection, call }
    return [...results, ...(await deliverPushes(context, remaining))]
  } catch (error) {
    return [...results, ...remaining.map((push) => failed(push, error))]
  }
}

/** @throws the error unless it is a PmsFailure */
const failed = (push: Push, error: unknown): PushResult => ({
  push,
  action: 'sync.completed',
  update: failedUpdate(error),
  differences: null,
})

const interruptedTooOften = () =>
  new PmsFailure('internal', 'The push was interrupted too often.', {
    hint: 'Trigger the sync. If it happens again, check the log of the workers.',
  })

/** The worker stops: it is unknown what the PMS received, and the next worker sends it at once. */
function interrupted(result: PushResult): PushResult {
  const { failure } = result.update
  if (!failure) return result
  return {
    ...result,
    update: {
      ...result.update,
      failure: new PmsFailure('internal', 'The worker stopped before the PMS responded.', {
        hint: 'No action is needed: the push is retried automatically.',
        exchange: failure.exchange,
        cause: failure.cause,
      }),
    },
  }
}
