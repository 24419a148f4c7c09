import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { PmsConnection } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import type { TaskState } from '#integrations/pms/pms.ts'
import type { JobRun } from '#queue/job.ts'
import { connectTarget, providerOf } from '#features/distribution/pms-access/connect.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { beginChecks } from './queries.ts'
import { claimChecks, type Check } from '#features/distribution/sync/state-queries.ts'
import { scheduleChecks } from './schedule-verification.ts'
import { maxPendingChecks } from '#features/distribution/sync/verification-timing.ts'
import { findDifferences } from '#features/distribution/sync/diff/drift.ts'
import { budgetsOf, openRateLimiter } from '#features/distribution/pms-access/rate-limiter.ts'
import { nightRange, unitLinkOf } from './deliver.ts'
import { planPushes } from './plan-push.ts'
import type { EngineOptions } from './run-target.ts'
import { recordVerification, type Verification } from './record-verification.ts'
import { blockChanges } from '#features/distribution/pms-access/queries.ts'

/** After this time a job leaves the rest to the next one. */
const jobMs = 30_000

/**
 * Checks whether the PMS has what it accepted: by the tasks that it named, or by reading it back. It runs beside
 * pushes, uses only calls that they do not need, and a push meanwhile makes its result void.
 */
export async function verifyTarget(
  scope: Scope,
  engine: EngineOptions,
  targetId: string,
  run: JobRun,
): Promise<void> {
  const begun = performance.now()
  for (;;) {
    const isLast: boolean = run.signal.aborted || performance.now() > begun + jobMs
    const turn = await atomically(scope, async (transaction) => {
      await blockChanges(transaction, targetId)
      const target = await beginChecks(transaction, targetId)
      if (!target) return null
      const { unitsPerRead } = providerOf(engine, target)
      const checks = isLast ? [] : await claimChecks(transaction, targetId, engine, unitsPerRead)
      if (checks.length === 0) await scheduleChecks(transaction, targetId, engine)
      return checks.length === 0 ? null : { target, checks, areAll: checks.length < unitsPerRead }
    })
    if (!turn) return
    const { target, checks, areAll } = turn
    const found = await verifyAll(scope, engine, target, checks, run)
    await atomically(scope, async (transaction) => {
      await recordVerification(transaction, targetId, run, found, engine)
      if (areAll) await scheduleChecks(transaction, targetId, engine)
    })
    if (areAll) return
  }
}

async function verifyAll(
  scope: Scope,
  engine: EngineOptions,
  target: TargetConnection,
  checks: readonly Check[],
  run: JobRun,
): Promise<Verification[]> {
  const provider = providerOf(engine, target)
  const pushes = await atomically(scope, (transaction: Transaction) =>
    planPushes(transaction, target.id, provider, checks),
  )
  const limiter = openRateLimiter(scope, {
    id: target.id,
    budgets: budgetsOf(provider.budgets, target.config),
    failures: 0,
    signal: run.signal,
    lastsMs: jobMs,
    isBackground: true,
  })
  const asked = checks.map((check, at) => ({ check, push: pushes[at]! }))
  try {
    const connection = connectTarget(engine, scope.orgId, target)
    const call = { rateLimiter: limiter, signal: run.signal, traceparent: scope.traceparent }
    return await compareAll(connection, provider, asked, call)
  } catch (failure) {
    if (!(failure instanceof PmsFailure)) throw failure
    return asked.map((one) => ({ ...one, failure, result: 'deferred', differences: null }))
  } finally {
    await limiter.settled()
  }
}

type PendingCheck = Pick<Verification, 'check' | 'push'>

async function compareAll(
  connection: PmsConnection,
  provider: Provider,
  asked: readonly PendingCheck[],
  call: CallContext,
): Promise<Verification[]> {
  const found: Verification[] = []
  const toRead: PendingCheck[] = []
  const tasks = new Set(asked.flatMap(({ check }) => check.tasks.filter((task) => task !== '')))
  const states = tasks.size > 0 ? await connection.getTaskStates?.([...tasks], call) : undefined
  for (const one of asked) {
    const state = combinedTaskState(one, states)
    if (state instanceof PmsFailure)
      found.push({ ...one, failure: state, result: 'rejected', differences: null })
    else if (state === 'pending' && one.check.failed_checks < maxPendingChecks)
      found.push({ ...one, failure: null, result: 'late', differences: null })
    else if (state === 'completed')
      found.push({ ...one, failure: null, result: 'verified', differences: null })
    else toRead.push(one)
  }
  if (toRead.length === 0) return found
  const pushes = toRead.map(({ push }) => push)
  const shown = await connection.readUnits(pushes.map(unitLinkOf), nightRange(pushes), call)
  for (const one of toRead) {
    const differences = findDifferences(one.push, shown.get(one.check.external_id!) ?? null, provider)
    const result = differences.length === 0 ? 'verified' : 'late'
    found.push({ ...one, failure: null, result, differences })
  }
  return found
}

/** The state of a listing's tasks: a failure that concerns it, or their progress; `unknown` requests a read-back. */
function combinedTaskState(
  { check, push }: PendingCheck,
  states: ReadonlyMap<string, TaskState> | undefined,
): PmsFailure | 'pending' | 'completed' | 'unknown' {
  const own = new Set([check.external_id, ...push.links.map(({ externalId }) => externalId)])
  let state: 'pending' | 'completed' | 'unknown' = check.tasks.length === 0 ? 'unknown' : 'completed'
  for (const task of check.tasks) {
    const known = states?.get(task) ?? { state: 'unknown' }
    if (known.state === 'failed') {
      const { externalIds, failure } = known
      if (externalIds.length === 0 || externalIds.some((id) => own.has(id))) return failure
    } else if (known.state === 'pending') state = 'pending'
    else if (known.state === 'unknown' && state === 'completed') state = 'unknown'
  }
  return state
}
