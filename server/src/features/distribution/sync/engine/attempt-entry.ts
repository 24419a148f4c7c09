import type { JobRun } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry/tracing.ts'
import type { AuditEntry } from '#features/distribution/audit/queries.ts'
import { maxAttempts } from '#features/distribution/sync/state.ts'
import type { Push } from '#features/distribution/sync/push.ts'
import type { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { NewAlert } from '#features/messaging/alerts/queries.ts'

/** The audit entry of one attempt, whatever its result. */
export const attemptEntry = (targetId: string, run: JobRun, push: Push): Omit<AuditEntry, 'action'> => {
  const { claim } = push
  return {
    account_id: claim.account_id,
    channel_listing_id: claim.listing_id,
    channel_target_id: targetId,
    unit_id: claim.unit_id,
    job_id: run.jobId,
    mode: claim.mode,
    trigger: claim.trigger,
    attempt: claim.attempts,
    max_attempts: maxAttempts,
    actor: claim.requested_by,
    changes: [...push.changes],
    calendar: toPushedNights(push),
    started_at: claim.started_at,
    trace_id: parseTraceparent(claim.traceparent)?.traceId ?? null,
  }
}

/** A failure as the audit entry of its attempt has it. */
export const toAuditError = ({ code, message, retryable, hint }: PmsFailure) => ({
  code,
  message,
  retryable,
  hint,
})

/** The alert for a push that failed, without another attempt. */
export const failureAlert = (targetId: string, { claim, unit }: Push, failure: PmsFailure): NewAlert => ({
  account_id: claim.account_id,
  kind: 'sync.failed',
  channel_listing_id: claim.listing_id,
  channel_target_id: targetId,
  unit_id: claim.unit_id,
  message: `${unit.unit.name}: ${failure.message}`.slice(0, 1_000),
  hint: failure.hint,
  details: { code: failure.code },
})

/** The maximum number of ranges in an audit entry, which also has the total count. */
const maxRuns = 50

function toPushedNights({ runs: { rooms, rates } }: Push): object | null {
  const runs = [...rooms, ...rates]
  if (runs.length === 0) return null
  const dates = runs.flatMap(({ date_from, date_to }) => [date_from, date_to]).sort()
  return {
    date_from: dates[0],
    date_to: dates.at(-1),
    values: runs.length,
    rooms: rooms.slice(0, maxRuns),
    rates: rates.slice(0, maxRuns).map(({ plan, ...run }) => ({ rate_plan_id: plan, ...run })),
  }
}
