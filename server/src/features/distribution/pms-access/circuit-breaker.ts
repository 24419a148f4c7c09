import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import type { Connections } from './connect.ts'
import {
  getTargetConnection,
  recordHealthCheck,
  type TargetConnection,
} from '#features/distribution/channel-targets/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { checkHealth } from './health-check.ts'
import { failuresToOpen } from './rate-limiter.ts'
import { lockTargetRecord, saveFailures, type TargetState } from './queries.ts'
import type { UpdateResult } from '#integrations/pms/pms.ts'

/** How often an open circuit is probed. */
const probeEveryMs = 10_000

/**
 * Opens the circuit after several failed calls in a row. Then only probes are sent, so that a PMS that is down gets
 * few calls and no listing uses up its attempts.
 */
export async function updateCircuit(
  transaction: Transaction,
  target: TargetState,
  results: readonly UpdateResult[],
  failures: number,
): Promise<void> {
  const isOpen = failures >= failuresToOpen
  if (failures === target.failures && !isOpen) return
  const failed = results.find(({ failure }) => failure && !failure.isThrottledLocally)
  const message = failed?.failure?.message ?? 'The PMS does not respond.'
  if (isOpen && !(await markTargetFailed(transaction, target, message))) return
  await saveFailures(transaction, target.id, failures, isOpen, probeEveryMs)
}

/** The status of the target changes with its circuit, so its record is locked before all other rows. */
export const lockIfOpening = async (transaction: Transaction, targetId: string, failures: number) =>
  failures >= failuresToOpen && (await lockTargetRecord(transaction, targetId))

/** Returns false for a target that was changed meanwhile: the failures of the previous address say nothing about it. */
async function markTargetFailed(
  transaction: Transaction,
  target: TargetConnection,
  message: string,
): Promise<boolean> {
  const before = await recordHealthCheck(transaction, target, message)
  if (!before) return false
  await raiseAlerts(transaction, [
    {
      account_id: target.account_id,
      kind: 'target.error',
      channel_target_id: target.id,
      message: `${target.name}: ${message}`.slice(0, 1_000),
      hint: 'Changes wait and are sent automatically when the PMS responds again; it is checked every ten seconds.',
    },
  ])
  if (before !== 'error')
    events.targetChanged({ orgId: transaction.orgId, targetId: target.id, status: 'error' })
  return true
}

/** Probes a PMS with an open circuit. After a success, everything that waited or failed is sent. */
export async function probe(scope: Scope, connections: Connections, targetId: string): Promise<void> {
  const target = await getTargetConnection(scope, targetId)
  if (!target) return
  const health = await checkHealth(scope, connections, target)
  await atomically(scope, async (transaction) => {
    if (typeof health === 'object' && !(await markTargetFailed(transaction, target, health.problem))) return
    if (typeof health === 'object' || health === 'deferred')
      return void (await saveFailures(transaction, targetId, failuresToOpen, true, probeEveryMs))
    // A PMS that answers with 429 is available again.
    await recordHealthCheck(transaction, target, null)
    await requestSync(transaction, { targetId, unsettled: true }, 'reconnect')
    await saveFailures(transaction, targetId, 0, false, probeEveryMs)
    await resolveAlerts(transaction, 'target.error', { targetId })
    events.targetChanged({ orgId: scope.orgId, targetId, status: 'active' })
  })
}
