import type { Transaction } from '#db/scope.ts'
import { parseTraceparent } from '#telemetry.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import type { BlocksChange } from './import-queries.ts'

/** What follows from other blocks: the PMS hears of the nights, and the history keeps who changed how many. */
export async function audited(
  transaction: Transaction,
  action: 'calendar.imported' | 'calendar.removed' | 'calendar.removal_accepted',
  feed: { account_id: string; unit_id: string; name: string },
  { written, removed, from, to, before, after }: BlocksChange,
): Promise<void> {
  if (from === null || to === null) return
  await requestSync(transaction, { unitId: feed.unit_id, nights: { from, to } }, 'change')
  addAuditEntries(transaction, [
    {
      account_id: feed.account_id,
      unit_id: feed.unit_id,
      action,
      actor: transaction.actor,
      changes: [
        { field: 'calendar_feed', before: null, after: feed.name },
        { field: 'blocked_nights', before, after },
        { field: 'nights_written', before: null, after: written },
        { field: 'nights_removed', before: null, after: removed },
      ],
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
}
