import { atomically, type Scope } from '#db/scope.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { JobRun } from '#queue/job.ts'
import { connectTarget, providerOf, type Connections } from '#features/distribution/pms-access/connect.ts'
import type { TargetState } from '#features/distribution/pms-access/queries.ts'
import { budgetsOf, openRateLimiter } from '#features/distribution/pms-access/rate-limiter.ts'
import type { Claim, Push, PushResult } from '#features/distribution/sync/push.ts'
import { maxAttempts } from '#features/distribution/sync/state.ts'
import { deliverPushes, failedUpdate } from './deliver.ts'
import { planPushes } from './plan-push.ts'

/**
 * Longer than one round may take. It matters only when a job is lost; the job of a killed worker is started again
 * without this wait.
 */
export const leaseMs = 180_000
/** No new call starts after this time. */
const maxRoundMs = 40_000

/** All pushes of one target that are sent together. */
export interface Round {
  readonly target: TargetState
  readonly claims: readonly Claim[]
}

export interface RoundResult {
  readonly target: TargetState
  readonly results: readonly PushResult[]
  /** The number of consecutive failed calls. */
  readonly failures: number
}

/** Sends the differences of the claimed listings to the PMS. Nothing is locked meanwhile. */
export async function pushRound(
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
  const exhausted = pushes.filter(({ claim }) => claim.attempts > maxAttempts)
  const remaining = pushes.filter(({ claim }) => claim.attempts <= maxAttempts)
  const results = exhausted.map((push) => failed(push, interruptedTooOften()))
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
