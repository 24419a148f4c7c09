import type { JobRun } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry/tracing.ts'
import type { AuditEntry } from '#features/distribution/audit/queries.ts'
import { maxAttempts } from '#features/distribution/sync/state.ts'
import type { Push } from '#features/distribution/sync/push.ts'

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
