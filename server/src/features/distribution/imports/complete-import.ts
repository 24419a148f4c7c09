import { sql } from '#db/sql.ts'
import { atomically, first, type Scope } from '#db/scope.ts'
import { lockImport, updateImport } from './queries.ts'

/** Completes an import when its photos are the last of its items, and done. */
export const completeIfDone = (scope: Scope, importId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, importId)
    if (current?.status !== 'running' || current.stage !== 'photos') return
    const waiting = await first(
      transaction,
      sql<{ id: string }>`
        select id
        from import_items
        where org_id = ${scope.orgId}
          and import_id = ${importId}
          and done_at is null
        limit 1`,
    )
    if (!waiting) await updateImport(transaction, importId, { status: 'completed' })
  })
