import { atomically, type Scope } from '#db/scope.ts'
import { nightOf } from '#nights.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Call } from '#outside/pms/pms-call.ts'
import type { Delivery } from '#outside/pms/pms.ts'
import type { Run } from '#queue/job.ts'
import { connectTarget, providerOf, type Connections } from '../channel-targets/connect-target.ts'
import type { Claim } from './claim-queries.ts'
import { deliverPushes, failedWith, type Result } from './deliver-pushes.ts'
import { budgetsOf, openGate } from './gate.ts'
import { preparePushes, type Push } from './prepare-pushes.ts'
import { maxAttempts } from './sync-status.ts'
import type { TargetState } from './target-queries.ts'

/**
 * Longer than one round may take. It is only for a job that was lost; the job of a worker that died runs again under
 * its own name, without waiting.
 */
export const leaseMs = 180_000
/** After this time a round begins no more calls. */
const roundMs = 40_000

export interface Round {
  readonly target: TargetState
  readonly claims: readonly Claim[]
}
export interface Done {
  readonly round: Round
  readonly results: readonly Result[]
  /** Calls in a row that came to nothing. */
  readonly failures: number
}

/** So many nights in one round are not prepared, sent and settled without a thought for memory. */
const manyNights = 10_000

export const isLarge = ({ claims }: Round): boolean =>
  claims.reduce(
    (sum, { first_night, last_night }) =>
      first_night && last_night ? sum + nightOf(last_night) - nightOf(first_night) + 1 : sum,
    0,
  ) > manyNights

/** Tells the PMS what differs of the listings that were claimed. */
export async function pushRound(
  scope: Scope,
  connections: Connections,
  round: Round,
  run: Run,
): Promise<Done> {
  const { target, claims } = round
  const pushes = await atomically(scope, (transaction) =>
    preparePushes(transaction, target.id, providerOf(connections, target), claims),
  )
  const gate = openGate(scope, {
    id: target.id,
    budgets: budgetsOf(providerOf(connections, target).budgets, target.config),
    failures: target.failures,
    signal: run.signal,
    lastsMs: roundMs,
  })
  const traceparent = pushes[0]?.claim.traceparent ?? scope.traceparent
  const results = await outcomes(scope, connections, target, pushes, {
    gate,
    signal: run.signal,
    traceparent,
  })
  await gate.settled()
  return {
    round,
    results: run.signal.aborted ? results.map(brokenOff) : results,
    failures: run.signal.aborted ? target.failures : gate.failures(),
  }
}

async function outcomes(
  scope: Scope,
  connections: Connections,
  target: TargetState,
  pushes: readonly Push[],
  call: Call,
): Promise<Result[]> {
  const worn = pushes.filter(({ claim }) => claim.attempts > maxAttempts)
  const fresh = pushes.filter(({ claim }) => claim.attempts <= maxAttempts)
  const results = worn.map((push) => failed(push, tooOften()))
  try {
    const connection = connectTarget(connections, scope.orgId, target)
    const provider = providerOf(connections, target)
    const way = { scope, targetId: target.id, provider, connection, call }
    return [...results, ...(await deliverPushes(way, fresh))]
  } catch (error) {
    return [...results, ...fresh.map((push) => failed(push, error))]
  }
}

/** @throws what is no failure of the PMS */
const failed = (push: Push, error: unknown): Result => ({
  push,
  action: 'sync.completed',
  delivery: failedWith(error),
  found: null,
})

const tooOften = () =>
  new PmsFailure('internal', 'The push was interrupted too often.', {
    hint: 'Trigger the sync; if it happens again, look at the log of the workers.',
  })

/** The worker stops: nobody knows what the PMS did with it, and the next worker asks at once. */
function brokenOff(result: Result): Result {
  const { failure } = result.delivery
  if (!failure) return result
  const delivery: Delivery = {
    ...result.delivery,
    failure: new PmsFailure('internal', 'The worker stopped before the PMS had answered.', {
      hint: 'Nothing to do: the push is tried again by itself.',
      exchange: failure.exchange,
      cause: failure.cause,
    }),
  }
  return { ...result, delivery }
}
