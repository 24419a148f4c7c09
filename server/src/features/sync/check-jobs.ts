import { sql } from 'kysely'
import { first, type Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { ReadTargetBack } from '../sync-requests/sync-jobs.ts'

/**
 * Puts a job for the next check of the target's listings into the queue, unless one waits that is early enough. Checks
 * that are further ahead than a minute are found by upkeep.
 */
export async function scheduleChecks(transaction: Transaction, targetId: string): Promise<void> {
  const next = await first(
    transaction,
    sql<{ at: string }>`update target_syncs g set check_job_at = greatest(n.at, clock_timestamp())
      from (select min(s.check_at) as at from listing_syncs s
        where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId} and s.status = 'completed') n
      where g.org_id = ${transaction.orgId} and g.channel_target_id = ${targetId}
        and n.at < clock_timestamp() + interval '60 seconds'
        and (g.check_job_at is null or g.check_job_at > n.at or g.check_job_at < now() - interval '30 seconds')
      returning iso(g.check_job_at) as at`,
  )
  if (next) await enqueue(transaction, ReadTargetBack, [{ payload: { targetId }, at: new Date(next.at) }])
}
