import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import { nextFullSync } from './full-sync-schedule.ts'

/** Without a schedule it is read back in the hours after the next midnight UTC, as one that is new. */
export const scheduleFullSync = (transaction: Transaction, id: string, cron: string | undefined) =>
  rows(
    transaction,
    sql`update target_syncs set reconcile_at = coalesce(${cron === undefined ? null : nextFullSync(cron)}::timestamptz,
        date_trunc('day', now()) + interval '1 day' + random() * interval '4 hours')
      where org_id = ${transaction.orgId} and channel_target_id = ${id}`,
  )

/** Whether the PMS answered at its old address says nothing of the new one. */
export const closeCircuit = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`update target_syncs set failures = 0, opened_at = null, probe_at = null
      where org_id = ${transaction.orgId} and channel_target_id = ${id}`,
  )
