import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { withPms, type Connections } from './connect.ts'
import {
  getTargetConnection,
  recordHealthCheck,
  type TargetConnection,
} from '#features/distribution/channel-targets/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'

/**
 * Checks whether the PMS of a target works, and records the result. A target that has recovered is synced. When the
 * rate limiter prevents the call nothing is recorded, and a later check follows.
 */
export async function checkTargetHealth(
  scope: Scope,
  connections: Connections,
  targetId: string,
): Promise<void> {
  const target = await getTargetConnection(scope, targetId)
  if (!target || target.status === 'inactive') return
  const health = await checkHealth(scope, connections, target)
  if (health === 'deferred' || health === 'busy') return
  const problem = health === 'healthy' ? null : health.problem
  await atomically(scope, async (transaction) => {
    const before = await recordHealthCheck(transaction, target, problem)
    const after = problem === null ? 'active' : 'error'
    if (!before || before === 'inactive' || before === after) return
    events.targetChanged({ orgId: scope.orgId, targetId, status: after })
    if (problem !== null)
      return await raiseAlerts(transaction, [
        {
          account_id: target.account_id,
          kind: 'target.error',
          channel_target_id: targetId,
          message: `${target.name}: ${problem}`.slice(0, 1_000),
          hint: 'Changes wait. Check the configuration of the channel target, or wait for the PMS to come back.',
        },
      ])
    await resolveAlerts(transaction, 'target.error', { targetId })
    if (before === 'error') await requestSync(transaction, { targetId, unsettled: true }, 'reconnect')
  })
}

/** `deferred` when our rate limiter prevented the call, `busy` when the PMS answered with 429. */
export type Health = 'healthy' | 'deferred' | 'busy' | { readonly problem: string }

/** Whether a target works; otherwise the problem as a sentence. */
export async function checkHealth(
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
): Promise<Health> {
  try {
    await withPms(scope, connections, target, ({ pms, call }) => pms.checkAccess(call))
    return 'healthy'
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    if (error.isThrottledLocally) return 'deferred'
    return error.code === 'rate_limited' ? 'busy' : { problem: error.message }
  }
}
