import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict } from '#errors.ts'
import { parseTraceparent } from '#telemetry.ts'
import { retryOpenStays } from '../pms-bookings/settle-imported-stays.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { audited } from './audit-feed.ts'
import { refreshHeldAlert } from './held-alert.ts'
import { findHeld, saveDecision } from './held-queries.ts'
import type { RemovalDecision } from './held-removal.ts'
import { replaceBlocks } from './import-queries.ts'
import { findFeed, lockFeed, type StoredFeed } from './queries.ts'

/** A person says whether the nights that are held become free. @throws NotFound, Conflict */
export const decideRemoval = (scope: Scope, id: string, { decision }: RemovalDecision): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    await lockFeed(transaction, id)
    const feed = (await findHeld(transaction, id))!
    if (!feed.held) throw nothingHeld('The calendar feed holds no nights: there is nothing to decide.')
    if (decision === 'keep') {
      if (feed.held.decision === 'keep') throw nothingHeld('It was decided already to keep the nights.')
      await saveDecision(transaction, id, { decision })
      auditKept(transaction, feed)
    } else {
      const nights = feed.found!.filter(([night]) => night >= feed.today)
      const change = await replaceBlocks(transaction, {
        feedId: id,
        unitId: feed.unit_id,
        from: feed.today,
        nights,
      })
      await saveDecision(transaction, id, { decision, blocks: change.after })
      await audited(transaction, 'calendar.removal_accepted', feed, change)
      await retryOpenStays(transaction, feed)
    }
    await refreshHeldAlert(transaction, feed.unit_id, false)
    return await findFeed(transaction, id)
  })

const nothingHeld = (detail: string) => new Conflict('invalid-status-transition', detail)

const auditKept = (
  transaction: Transaction,
  { account_id, unit_id, name }: { account_id: string; unit_id: string; name: string },
) =>
  addAuditEntries(transaction, [
    {
      account_id,
      unit_id,
      action: 'calendar.removal_kept',
      actor: transaction.actor,
      changes: [{ field: 'calendar_feed', before: null, after: name }],
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
