import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { PmsFailure } from '#outside/pms/pms.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { connectTarget, type Connections } from './connect-target.ts'
import { lookForTarget, noteHealth, type TargetConnection } from './queries.ts'

/** Asks the PMS of a target whether it works, and notes the answer. One that comes back is synced again. */
export async function checkTarget(scope: Scope, connections: Connections, targetId: string): Promise<void> {
  const target = await lookForTarget(scope, targetId)
  if (!target || target.status === 'inactive') return
  const problem = await problemOf(scope, connections, target)
  await atomically(scope, async (transaction) => {
    const before = await noteHealth(transaction, target, problem)
    const after = problem === null ? 'active' : 'error'
    if (!before || before === 'inactive' || before === after) return
    events.targetChanged({ orgId: scope.orgId, targetId, status: after })
    if (before === 'error') await requestSync(transaction, { targetId }, 'reconcile')
  })
}

/** What keeps a target from working, in words; null when it works. */
async function problemOf(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
): Promise<string | null> {
  try {
    await connectTarget(connections, scope.orgId, target).check({ traceparent: scope.traceparent })
    return null
  } catch (error) {
    if (error instanceof PmsFailure) return error.message
    throw error
  }
}
