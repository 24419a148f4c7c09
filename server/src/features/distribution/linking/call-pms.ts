import type { Scope } from '#db/scope.ts'
import { PmsError } from '#errors.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { PmsConnection } from '#integrations/pms/pms.ts'
import { connectTarget, providerOf, type Connections } from '#features/distribution/pms-access/connect.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { budgetsOf, openRateLimiter } from '#features/distribution/pms-access/rate-limiter.ts'

/** A person waits for the answer, so no call starts after this time. */
const maxDurationMs = 20_000

/** Calls the PMS of a target within the call budget that it shares with the workers. @throws PmsFailure */
export async function callPms<T>(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
  work: (pms: PmsConnection, call: CallContext) => Promise<T>,
): Promise<T> {
  const { budgets } = providerOf(connections, target)
  const limiter = openRateLimiter(scope, {
    id: target.id,
    budgets: budgetsOf(budgets, target.config),
    failures: 0,
    lastsMs: maxDurationMs,
  })
  try {
    const pms = connectTarget(connections, scope.orgId, target)
    return await work(pms, { rateLimiter: limiter, traceparent: scope.traceparent })
  } finally {
    await limiter.settled()
  }
}

/** The error of a request that needed the PMS. */
export const toPmsError = (failure: PmsFailure): PmsError =>
  new PmsError(failure.retryable ? 'pms-unavailable' : 'pms-refused', failure.message, {
    members: { error_code: failure.code, hint: hintFor(failure) },
    retryAfter: failure.retryAfter,
    cause: failure,
  })

const transientCodes = new Set<string>([
  'network',
  'timeout',
  'pms_unavailable',
  'rate_limited',
  'circuit_open',
])

/** The hint of a transient failure says that a push is retried automatically; a request is not. */
export const hintFor = ({ code, hint }: PmsFailure): string =>
  transientCodes.has(code)
    ? 'Try again in a moment. If it still fails, check the base_url of the channel target, and whether the PMS works.'
    : hint
