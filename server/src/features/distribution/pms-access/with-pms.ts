import type { Scope } from '#db/scope.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { PmsConnection } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { connectTarget, providerOf, type Connections } from './connect.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { budgetsOf, openRateLimiter } from './rate-limiter.ts'

export interface PmsAccess {
  readonly pms: PmsConnection
  readonly provider: Provider
  readonly call: CallContext
}

/** Calls the PMS of a target, within the budget that all processes share. @throws PmsFailure */
export async function withPms<T>(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
  work: (access: PmsAccess) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const provider = providerOf(connections, target)
  const limiter = openRateLimiter(scope, {
    id: target.id,
    budgets: budgetsOf(provider.budgets, target.config),
    failures: 0,
    signal,
  })
  try {
    const pms = connectTarget(connections, scope.orgId, target)
    return await work({
      pms,
      provider,
      call: { rateLimiter: limiter, traceparent: scope.traceparent, ...(signal && { signal }) },
    })
  } finally {
    await limiter.settled()
  }
}
