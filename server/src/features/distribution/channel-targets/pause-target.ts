import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import { enqueue } from '#queue/job.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { requestSync, CheckTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { nextStatus, type TargetStatus } from './channel-target.ts'
import { findTarget, lockTarget } from './queries.ts'
import { recordTargetEvent } from './record-target-event.ts'

/** Stops all pushes to the target until it is resumed; changes wait. @throws NotFound */
export const pauseTarget = (scope: Scope, id: string): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const target = await lockTarget(transaction, id)
    if (target.status !== 'inactive') {
      auditPause(transaction, { id, ...target }, 'inactive')
      await setStatus(transaction, id, 'inactive')
    }
    return await findTarget(transaction, id)
  })

/** Pushes the changes that waited, checks the PMS, and compares it with what is stored here. @throws NotFound */
export const resumeTarget = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const target = await lockTarget(transaction, id)
    if (target.status !== 'inactive') return
    const status = nextStatus(target.status, 'active')
    auditPause(transaction, { id, ...target }, status)
    await setStatus(transaction, id, status)
    await requestSync(transaction, { targetId: id }, 'reconcile')
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
  })

const setStatus = async (transaction: Transaction, id: string, status: TargetStatus) => {
  const [target] = await rows(
    transaction,
    sql<{ json: string }>`
      update channel_targets
      set status = ${status},
        error_message = case when ${status} = 'inactive' then null else error_message end,
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}
      returning json`,
  )
  await recordTargetEvent(transaction, 'target.updated', target!)
}

/** Records who paused or resumed a target in the sync history. */
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
      changes: [{ field: 'status', before: target.status, after: status }],
    },
  ])
}
