import type { Transaction } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import { dayIn, nightOf } from '#schema/nights.ts'
import { failureCodes, type PmsFailure } from '#integrations/pms/pms-failure.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { recordListingEvents, recordCompleted } from '#features/distribution/sync/listing-events.ts'
import { addAuditEntriesNow, type AuditEntry } from '#features/distribution/audit/queries.ts'
import { applyRuns, monthsFromGrid } from '#features/distribution/sync/diff/calendar-grid.ts'
import type { Push, PushResult } from '#features/distribution/sync/push.ts'
import { CheckTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { maxAttempts, retryInMs, type VerificationTiming } from '#features/distribution/sync/state.ts'
import {
  lockStates,
  recordResults,
  requestFullSync,
  verifyLater,
  type AttemptResult,
  type RecordedResult,
} from '#features/distribution/sync/state-queries.ts'
import { attemptEntry, failureAlert, toAuditError } from './attempt-entry.ts'
import { unconfirmedAfter } from './plan-push.ts'
import {
  lockListings,
  saveAcceptedMonths,
  saveReadBacks,
  scheduleChecks,
  updateListingStatus,
  type AcceptedMonth,
} from './queries.ts'

// Prometheus sees an increase only in a series that it knows: without a zero, the first rejected pushes would not count.
for (const code of failureCodes) metrics.pushEnded('failed', code, 0)

/**
 * Records the results of a round: states, audit, accepted values, and what follows. Attempts that lost their claim
 * are superseded, and their listings are pushed in full.
 */
export async function recordPushes(
  transaction: Transaction,
  targetId: string,
  run: JobRun,
  results: readonly PushResult[],
  { sampleShare, ...timing }: VerificationTiming & { readonly sampleShare: number },
): Promise<void> {
  if (results.length === 0) return
  const attempts = results.map((result) => toAttemptResult(result, run.signal.aborted))
  const recorded = await recordAttempts(transaction, attempts, timing)
  const recordedById = new Map(recorded.map((one) => [one.listing_id, one]))
  const written = results.filter(({ push }) => recordedById.has(push.claim.listing_id))
  const sent = written.filter(wasSent)
  const readBacks = written.filter(({ differences }) => differences !== null)
  const sample = sent.filter(() => Math.random() < sampleShare)
  const months = written.flatMap(acceptedMonthsAfter)
  await Promise.all([
    // Not deferred: the same transaction may start the next attempts, whose entries must be later in the audit.
    addAuditEntriesNow(
      transaction,
      results.map((result, at) =>
        finishedEntry(targetId, run, result, attempts[at]!, recordedById.get(result.push.claim.listing_id)),
      ),
    ),
    months.length > 0 && saveAcceptedMonths(transaction, months),
    readBacks.length > 0 &&
      saveReadBacks(
        transaction,
        readBacks.map(({ push, differences, update }) => ({
          listing_id: push.claim.listing_id,
          in_sync: !update.failure,
          differences: differences!,
        })),
      ),
    sample.length > 0 &&
      verifyLater(
        transaction,
        sample.map(({ push }) => push.claim.listing_id),
      ),
    updateAlerts(transaction, targetId, written, recordedById),
    results.some(({ action }) => action === 'sync.completed' || action === 'sync.repaired') &&
      scheduleChecks(transaction, targetId, timing),
    recordCompleted(
      transaction,
      targetId,
      sent
        .map(({ push }) => push)
        .filter(({ claim }) => recordedById.get(claim.listing_id)!.status === 'completed'),
    ),
  ])
  const superseded = results.map(({ push }) => push.claim.listing_id).filter((id) => !recordedById.has(id))
  if (superseded.length > 0) await requestFullSync(transaction, targetId, superseded)
  if (results.some(({ update }) => update.failure?.code === 'auth_rejected'))
    await enqueue(transaction, CheckTarget, [{ payload: { targetId } }])
  results.forEach((result, at) => log(transaction, run, result, attempts[at]!))
}

/** The listing is locked before its state, and its status follows from the recorded state. Usually none changes. */
async function recordAttempts(
  transaction: Transaction,
  attempts: readonly AttemptResult[],
  timing: VerificationTiming,
): Promise<RecordedResult[]> {
  const changing = attempts.filter(
    ({ result, listing_status }) =>
      result === 'refused' || (result === 'accepted' && listing_status !== 'active'),
  )
  const [, , recorded, changed] = await Promise.all([
    lockListings(
      transaction,
      changing.map(({ listing_id }) => listing_id),
    ),
    lockStates(transaction, { listingIds: attempts.map(({ listing_id }) => listing_id) }),
    recordResults(transaction, attempts, timing),
    updateListingStatus(transaction, changing),
  ])
  await recordListingEvents(transaction, 'listing.updated', changed)
  return recorded
}

/** Whether something was sent and accepted. */
const wasSent = ({ action, update }: PushResult) => action === 'sync.completed' && !update.failure

function toAttemptResult(result: PushResult, isStopping: boolean): AttemptResult {
  const { push, update, differences } = result
  const { claim, content, changes } = push
  const { failure } = update
  const isNewContent = changes.length > 0 || !claim.accepted || differences !== null
  const base = {
    listing_id: claim.listing_id,
    listing_status: claim.listing_status,
    claim: claim.claim,
    wanted_version: claim.wanted_version,
    accepted: (!failure || update.contentAccepted) && isNewContent ? content : null,
    // What was unconfirmed stays so: after a read-back, the changes are those from what the PMS shows.
    unconfirmed_fields:
      !failure || update.contentAccepted
        ? []
        : [...new Set([...claim.unconfirmed_fields, ...changes.map(({ field }) => field)])],
    unconfirmed_ranges: failure ? unconfirmedAfter(push, acceptedRuns(result)) : null,
    unconfirmed_before: claim.unconfirmed_ranges,
    refused_groups: failure ? (update.refusedGroups ?? claim.refused_groups) : null,
    evidence: evidenceOf(result),
    tasks: tasksOf(result),
  }
  if (!failure) return { ...base, result: 'accepted', error_code: null, error_message: null, wait_ms: null }
  const isDeferred =
    failure.isThrottledLocally || isStopping || (failure.code === 'partial_rejection' && beganYesterday(push))
  const mayPass = failure.retryable || (failure.code === 'partial_rejection' && hasMovedZone(result))
  const isOver = !isDeferred && (!mayPass || claim.attempts >= maxAttempts)
  // Waiting for the rate limit is no error.
  const isShown = !failure.isThrottledLocally || failure.code === 'circuit_open'
  return {
    ...base,
    result: isDeferred ? 'deferred' : isOver ? 'refused' : 'retry',
    error_code: isShown ? failure.code : null,
    error_message: isShown ? failure.message : null,
    wait_ms: isOver ? null : waitOf(failure, claim.attempts, isDeferred),
  }
}

/** Tasks confirm the calendar; content, which an empty name stands for, is confirmed by a read-back only. */
const tasksOf = ({ update: { tasks = [] }, push }: PushResult) =>
  tasks.length > 0 && push.changes.length > 0 ? [...tasks, ''] : tasks

/** What an attempt proves about what the PMS shows: accepted values have not been shown. */
function evidenceOf({ action, update, push }: PushResult): AttemptResult['evidence'] {
  const { failure, contentAccepted, acceptedRooms, acceptedRates } = update
  if (action === 'sync.skipped') return 'none'
  if (action === 'sync.verified') return failure ? 'none' : 'seen'
  const isAccepted =
    acceptedRooms.length + acceptedRates.length > 0 || (contentAccepted && push.changes.length > 0)
  if (failure && !isAccepted) return 'none'
  return action === 'sync.repaired' ? 'repairs' : 'sent'
}

/**
 * Whether the attempt started before midnight at the space: the PMS refuses the past night, and the next push omits
 * it.
 */
function beganYesterday({ desired, unit }: Push): boolean {
  return desired.rooms.length > 0 && desired.first < nightOf(dayIn(unit.space.timezone))
}

/** Whether the PMS may have rejected nights as past in the time zone that it had until this push changed it. */
const hasMovedZone = ({ push, update }: PushResult): boolean =>
  update.contentAccepted && push.changes.some(({ field }) => field === 'space.timezone')

const waitOf = ({ retryAfter }: PmsFailure, attempt: number, isDeferred: boolean) => {
  const asked = Math.max(0, (retryAfter?.getTime() ?? 0) - Date.now())
  return isDeferred ? asked : retryInMs(attempt, asked)
}

const acceptedRuns = ({ push, update }: PushResult) =>
  update.failure ? { rooms: [...update.acceptedRooms], rates: [...update.acceptedRates] } : push.runs

/** The nights of the push as the PMS has them now. */
function acceptedMonthsAfter(result: PushResult): AcceptedMonth[] {
  const { claim, desired, known, months } = result.push
  if (desired.rooms.length === 0) return []
  const accepted = acceptedRuns(result)
  if (!result.differences && accepted.rooms.length === 0 && accepted.rates.length === 0) return []
  applyRuns(known, accepted)
  return [...monthsFromGrid(months, known)].map(([month, nights]) => ({
    listing_id: claim.listing_id,
    month,
    nights,
  }))
}

function finishedEntry(
  targetId: string,
  run: JobRun,
  { push, update, action }: PushResult,
  { result }: AttemptResult,
  recorded: RecordedResult | undefined,
): AuditEntry {
  const { failure } = update
  const exchange = failure?.exchange ?? update.exchanges.at(-1)
  const actions = {
    accepted: action,
    retry: 'sync.retry_scheduled',
    deferred: failure?.isThrottledLocally ? 'sync.postponed' : 'sync.retry_scheduled',
    refused: 'sync.failed',
  }
  return {
    ...attemptEntry(targetId, run, push),
    action: recorded ? actions[result] : 'sync.superseded',
    status: recorded?.status ?? 'in_progress',
    request: exchange?.request ?? null,
    response: exchange?.response ?? null,
    error: failure && toAuditError(failure),
    // By the clock of the database, which also recorded the start.
    finished_at: 'now',
    next_attempt_at: recorded?.next_attempt_at ?? null,
  }
}

/** Raises alerts for pushes that failed, and resolves those of pushes that were accepted. */
async function updateAlerts(
  transaction: Transaction,
  targetId: string,
  results: readonly PushResult[],
  recorded: ReadonlyMap<string, RecordedResult>,
) {
  const accepted = results.filter(({ update }) => !update.failure).map(({ push }) => push.claim.listing_id)
  const failed = results.filter(({ push }) => recorded.get(push.claim.listing_id)?.status === 'failed')
  if (accepted.length > 0)
    await resolveAlerts(transaction, ['sync.failed', 'listing.stale'], { listingIds: accepted })
  const seen = results.filter(({ action, update }) => action === 'sync.verified' && !update.failure)
  if (seen.length > 0)
    await resolveAlerts(transaction, 'drift.found', {
      listingIds: seen.map(({ push }) => push.claim.listing_id),
    })
  if (failed.length > 0)
    await raiseAlerts(
      transaction,
      failed.map(({ push, update }) => failureAlert(targetId, push, update.failure!)),
    )
}

function log(
  { orgId }: Transaction,
  run: JobRun,
  { push, update }: PushResult,
  { result }: AttemptResult,
): void {
  const { claim } = push
  const facts = {
    orgId,
    listingId: claim.listing_id,
    jobId: run.jobId,
    attempt: claim.attempts,
    traceId: claim.traceparent?.split('-')[1] ?? '',
    ms: Date.now() - Date.parse(claim.started_at),
  }
  const { failure } = update
  if (!failure) return events.pushCompleted(facts)
  const write = result === 'refused' ? events.pushFailed : events.pushRetried
  write({
    ...facts,
    code: failure.code,
    message: failure.message,
    ...(push.failure && { err: push.failure.cause }),
  })
}
