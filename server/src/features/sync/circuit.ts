import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#events.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import { lookForTarget, noteHealth, type TargetConnection } from '../channel-targets/queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { healthOf } from './check-target.ts'
import { failuresToOpen } from './gate.ts'
import { lockRecord, noteFailures, type TargetState } from './target-queries.ts'
import type { Result } from './deliver-pushes.ts'

/** An open circuit is tried so often. */
const probeEveryMs = 10_000

/**
 * Opens the circuit when calls came to nothing again and again: then nothing but a probe is sent, so that a PMS
 * that is down is left in peace and no listing uses up its attempts.
 */
export async function noteCircuit(
  transaction: Transaction,
  target: TargetState,
  results: readonly Result[],
  failures: number,
): Promise<void> {
  const isOpen = failures >= failuresToOpen
  if (failures === target.failures && !isOpen) return
  await noteFailures(transaction, target.id, failures, isOpen, probeEveryMs)
  if (!isOpen) return
  const failed = results.find(({ delivery }) => delivery.failure && !delivery.failure.isHeldBack)
  await targetFails(transaction, target, failed?.delivery.failure?.message ?? 'The PMS does not answer.')
}

/** The status of the target changes with its circuit, so that its record is locked before anything else is. */
export const lockIfOpening = async (transaction: Transaction, targetId: string, failures: number) =>
  failures >= failuresToOpen && (await lockRecord(transaction, targetId))

async function targetFails(
  transaction: Transaction,
  target: TargetConnection,
  message: string,
): Promise<void> {
  const before = await noteHealth(transaction, target, message)
  await raiseAlerts(transaction, [
    {
      account_id: target.account_id,
      kind: 'target.error',
      channel_target_id: target.id,
      message: `${target.name}: ${message}`.slice(0, 1_000),
      hint: 'Changes wait and go out by themselves as soon as the PMS answers; it is asked every ten seconds.',
    },
  ])
  if (before && before !== 'error')
    events.targetChanged({ orgId: transaction.orgId, targetId: target.id, status: 'error' })
}

/** Asks a PMS behind an open circuit whether it is back. Then everything that waited or failed goes out. */
export async function probe(scope: Scope, connections: Connections, targetId: string): Promise<void> {
  const target = await lookForTarget(scope, targetId)
  if (!target) return
  const health = await healthOf(scope, connections, target)
  await atomically(scope, async (transaction) => {
    if (typeof health === 'object') await targetFails(transaction, target, health.problem)
    if (typeof health === 'object' || health === 'unasked')
      return void (await noteFailures(transaction, targetId, failuresToOpen, true, probeEveryMs))
    // A PMS that says it is asked too often answers again.
    await noteHealth(transaction, target, null)
    await requestSync(transaction, { targetId, unsettled: true }, 'reconnect')
    await noteFailures(transaction, targetId, 0, false, probeEveryMs)
    await resolveAlerts(transaction, 'target.error', { targetId })
    events.targetChanged({ orgId: scope.orgId, targetId, status: 'active' })
  })
}
