import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { PmsFailure } from '#outside/pms/pms.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { connectTarget, type Connections } from './connect-target.ts'
import { lookForTarget, noteHealth } from './queries.ts'

/** Asks the PMS of a target whether it works, and notes the answer. One that comes back is synced again. */
export async function checkTarget(scope: Scope, connections: Connections, targetId: string): Promise<void> {
  const target = await lookForTarget(scope, targetId)
  if (!target || target.status === 'inactive') return
  const problem = await connectTarget(connections, scope.orgId, target)
    .check({ traceparent: scope.traceparent })
    .then(
      () => null,
      (error: unknown) => {
        if (error instanceof PmsFailure) return error.message
        throw error
      },
    )
  await atomically(scope, async (transaction) => {
    const before = await noteHealth(transaction, targetId, problem)
    const after = problem === null ? 'active' : 'error'
    if (!before || before === 'inactive' || before === after) return
    events.targetChanged({ orgId: scope.orgId, targetId, status: after })
    if (before === 'error') await requestSync(transaction, { targetId }, 'reconcile')
  })
}
