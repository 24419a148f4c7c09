import { sql } from 'kysely'
import { first, type Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { VerifyTarget } from '#features/distribution/sync/schedule/jobs.ts'
import { minPause, type VerificationTiming } from '#features/distribution/sync/verification-timing.ts'

/**
 * Enqueues a job for the next check of the target's listings, unless a job that is early enough is waiting. Checks more
 * than a minute ahead are enqueued by the scheduler.
 */
export async function scheduleChecks(
  transaction: Transaction,
  targetId: string,
  timing: VerificationTiming,
): Promise<void> {
  const next = await reserveNextCheck(transaction, targetId, timing)
  if (next) await enqueue(transaction, VerifyTarget, [{ payload: { targetId }, at: new Date(next.at) }])
}

/** Reserves the start of the next job; undefined when a job that is early enough is waiting, or no check is due. */
const reserveNextCheck = (transaction: Transaction, targetId: string, timing: VerificationTiming) =>
  first(
    transaction,
    sql<{ at: string }>`
      with due as (
        select min(check_at) as at
        from listing_syncs
        where org_id = ${transaction.orgId}
          and channel_target_id = ${targetId}
          and status = 'completed'),
      next as (
        select greatest(due.at, clock_timestamp(), target.checks_begun_at + ${minPause(timing)}) as at
        from target_syncs target, due
        where target.org_id = ${transaction.orgId}
          and target.channel_target_id = ${targetId}
          and due.at is not null)
      update target_syncs target
      set check_job_at = next.at
      from next
      where target.org_id = ${transaction.orgId}
        and target.channel_target_id = ${targetId}
        and next.at < clock_timestamp() + interval '60 seconds'
        and (target.check_job_at is null
          or target.check_job_at > next.at
          or target.check_job_at < now() - interval '30 seconds')
      returning iso(target.check_job_at) as at`,
  )
