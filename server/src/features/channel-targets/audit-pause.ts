import type { Transaction } from '#db/scope.ts'
import { parseTraceparent } from '#telemetry.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import type { TargetStatus } from './channel-target.ts'

/** Keeps in the history who paused a target, and who resumed it. */
export function auditPause(
  transaction: Transaction,
  target: { id: string; account_id: string; status: TargetStatus },
  status: TargetStatus,
): void {
  const wasPaused = target.status === 'inactive'
  if (wasPaused === (status === 'inactive')) return
  addAuditEntries(transaction, [
    {
      account_id: target.account_id,
      channel_target_id: target.id,
      action: wasPaused ? 'target.resumed' : 'target.paused',
      actor: transaction.actor,
      changes: [{ field: 'status', before: target.status, after: status }],
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
}
