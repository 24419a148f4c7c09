import type { Scope } from '#db/scope.ts'
import type { Call } from '#outside/pms/pms-call.ts'
import type { PmsConnection, Provider } from '#outside/pms/pms.ts'
import { connectTarget, providerOf, type Connections } from '../channel-targets/connect-target.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import { budgetsOf, openGate } from '../sync/gate.ts'

export interface Speaking {
  readonly pms: PmsConnection
  readonly provider: Provider
  readonly call: Call
}

/** Speaks with the PMS of a target, within the budget that everybody shares. @throws PmsFailure */
export async function speak<T>(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
  work: (speaking: Speaking) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const provider = providerOf(connections, target)
  const gate = openGate(scope, {
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
      call: { gate, traceparent: scope.traceparent, ...(signal && { signal }) },
    })
  } finally {
    await gate.settled()
  }
}
