import { sql } from 'kysely'
import { atomically, rows, type Scope } from '#db/scope.ts'
import type { Stored } from '#http/replies.ts'
import { enqueue } from '#queue/job.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { CheckTarget } from '../sync-requests/sync-jobs.ts'
import { auditPause } from './audit-pause.ts'
import { statusAfter } from './channel-target.ts'
import { findTarget, lockTarget } from './queries.ts'

/** Nothing more is pushed to the target until it is resumed; changes wait. @throws NotFound */
export const pauseTarget = (scope: Scope, id: string): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const target = await lockTarget(transaction, id)
    if (target.status !== 'inactive') {
      auditPause(transaction, { id, ...target }, 'inactive')
      await rows(
        transaction,
        sql`update channel_targets set status = 'inactive', error_message = null, version = version + 1, updated_at = now()
          where org_id = ${scope.orgId} and id = ${id}`,
      )
    }
    return await findTarget(transaction, id)
  })

/** What waited goes out, and the PMS is asked whether it works and what it shows. @throws NotFound */
export const resumeTarget = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const target = await lockTarget(transaction, id)
    if (target.status !== 'inactive') return
    const status = statusAfter(target.status, 'active')
    auditPause(transaction, { id, ...target }, status)
    await rows(
      transaction,
      sql`update channel_targets set status = ${status}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    await requestSync(transaction, { targetId: id }, 'reconcile')
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
  })
