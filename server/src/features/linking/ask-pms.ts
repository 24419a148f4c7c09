import type { Scope } from '#db/scope.ts'
import type { Call } from '#outside/pms/pms-call.ts'
import type { PmsConnection } from '#outside/pms/pms.ts'
import { connectTarget, providerOf, type Connections } from '../channel-targets/connect-target.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import { budgetsOf, openGate } from '../sync/gate.ts'

/** A person waits for the answer: after this time no more calls begin. */
const patienceMs = 20_000

/** Asks the PMS of a target within the budget that it shares with the workers. @throws PmsFailure */
export async function askPms<T>(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
  ask: (pms: PmsConnection, call: Call) => Promise<T>,
): Promise<T> {
  const { budgets } = providerOf(connections, target)
  const gate = openGate(scope, {
    id: target.id,
    budgets: budgetsOf(budgets, target.config),
    failures: 0,
    lastsMs: patienceMs,
  })
  try {
    const pms = connectTarget(connections, scope.orgId, target)
    return await ask(pms, { gate, traceparent: scope.traceparent })
  } finally {
    await gate.settled()
  }
}
