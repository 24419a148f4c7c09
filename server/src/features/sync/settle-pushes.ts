import type { Transaction } from '#db/scope.ts'
import { events } from '#events.ts'
import { dayIn, nightOf } from '#nights.ts'
import type { PmsFailure } from '#outside/pms/pms-failure.ts'
import { enqueue, type Run } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { addAuditEntries, type AuditEntry } from '../sync-requests/audit-queries.ts'
import { CheckTarget } from '../sync-requests/sync-jobs.ts'
import { attemptOf } from './audit-push.ts'
import type { CheckTiming } from './check-timing-queries.ts'
import type { Result } from './deliver-pushes.ts'
import { monthsWith } from './month-values.ts'
import { enter, type NightValues } from './night-values.ts'
import { evidenceOf, tasksOf } from './evidence.ts'
import { doubtOf, type Push } from './prepare-pushes.ts'
import {
  keepChecks,
  keepMonths,
  settleClaims,
  verifyLater,
  wantWhole,
  type Outcome,
  type Settled,
} from './settle-queries.ts'
import { maxAttempts, retryInMs } from './sync-status.ts'
import { tellCompleted } from './tell-completed.ts'

/**
 * Writes what became of a round: results, history, what the PMS has now, and what follows. Only what still holds
 * its claim is written; the others are pushed whole.
 */
export async function settlePushes(
  transaction: Transaction,
  targetId: string,
  run: Run,
  results: readonly Result[],
  { sampleShare, ...timing }: CheckTiming & { readonly sampleShare: number },
): Promise<void> {
  if (results.length === 0) return
  const outcomes = results.map((result) => outcomeOf(result, run.signal.aborted))
  const settled = await settleClaims(transaction, outcomes, timing)
  const settledById = new Map(settled.map((one) => [one.listing_id, one]))
  const written = results.filter(({ push }) => settledById.has(push.claim.listing_id))
  const checks = written.filter(({ found }) => found !== null)
  const sample = written.filter(wasTold).filter(() => Math.random() < sampleShare)
  const months = written.flatMap(monthRows)
  addAuditEntries(
    transaction,
    results.map((result, at) =>
      finishedEntry(targetId, run, result, outcomes[at]!, settledById.get(result.push.claim.listing_id)),
    ),
  )
  await Promise.all([
    // Now, not with the commit: the next attempts may begin in this transaction, and the history is read by time.
    transaction.connection.flush(),
    months.length > 0 && keepMonths(transaction, months),
    checks.length > 0 &&
      keepChecks(
        transaction,
        checks.map(({ push, found, delivery }) => ({
          listing_id: push.claim.listing_id,
          in_sync: !delivery.failure,
          differences: [...found!].slice(0, 100),
        })),
      ),
    sample.length > 0 &&
      verifyLater(
        transaction,
        sample.map(({ push }) => push.claim.listing_id),
      ),
    tell(transaction, targetId, written, settledById),
    tellCompleted(
      transaction,
      targetId,
      written
        .filter(wasTold)
        .flatMap(({ push }) =>
          settledById.get(push.claim.listing_id)!.status === 'completed' ? [push] : [],
        ),
    ),
  ])
  await followUp(transaction, targetId, results, settledById)
  results.forEach((result, at) => log(transaction, run, result, outcomes[at]!))
}

/** Whether the PMS was told something, and took it. */
const wasTold = ({ action, delivery }: Result) => action === 'sync.completed' && !delivery.failure

function outcomeOf(done: Result, isStopping: boolean): Outcome {
  const { push, delivery, found } = done
  const { claim, content, changes, runs } = push
  const { failure } = delivery
  const isNews = changes.length > 0 || !claim.accepted || found !== null
  const base = {
    listing_id: claim.listing_id,
    listing_status: claim.listing_status,
    claim: claim.claim,
    wanted_version: claim.wanted_version,
    accepted: (!failure || delivery.tookContent) && isNews ? content : null,
    // What was in doubt stays so: after a look, the changes are those from what the PMS shows.
    in_doubt:
      !failure || delivery.tookContent
        ? []
        : [...new Set([...claim.in_doubt, ...changes.map(({ field }) => field)])],
    calendar_doubt: failure
      ? doubtOf(
          { wanted: push.wanted, runs },
          { rooms: [...delivery.tookRooms], rates: [...delivery.tookRates] },
        )
      : null,
    refused_groups: failure ? (delivery.refusedGroups ?? claim.refused_groups) : null,
    evidence: evidenceOf(done),
    tasks: tasksOf(done),
  }
  if (!failure) return { ...base, result: 'accepted', error_code: null, error_message: null, wait_ms: null }
  const isUnasked =
    failure.isHeldBack || isStopping || (failure.code === 'partial_rejection' && isYesterdays(push))
  const isOver = !isUnasked && (!failure.retryable || claim.attempts >= maxAttempts)
  return {
    ...base,
    result: isUnasked ? 'unasked' : isOver ? 'refused' : 'again',
    // Waiting for one's turn is no trouble to tell of.
    error_code: failure.isHeldBack && failure.code !== 'circuit_open' ? null : failure.code,
    error_message: failure.isHeldBack && failure.code !== 'circuit_open' ? null : failure.message,
    wait_ms: isOver ? null : waitOf(failure, claim.attempts, isUnasked),
  }
}

/** Whether it began before midnight where the space is: the PMS refuses the night that is past, and the next one does not. */
function isYesterdays({ wanted, unit }: Push): boolean {
  if (wanted.rooms.length === 0) return false
  return wanted.first < nightOf(dayIn(unit.space.timezone))
}

const waitOf = ({ retryAfter }: PmsFailure, attempt: number, isUnasked: boolean) => {
  const asked = Math.max(0, (retryAfter?.getTime() ?? 0) - Date.now())
  return isUnasked ? asked : retryInMs(attempt, asked)
}

/** What the PMS has now, of the nights that were looked at. */
function monthRows({ push: { claim, wanted, had, months, runs }, delivery, found }: Result) {
  if (wanted.rooms.length === 0) return []
  const took = delivery.failure
    ? { rooms: [...delivery.tookRooms], rates: [...delivery.tookRates] }
    : { rooms: runs.rooms, rates: runs.rates }
  if (!found && took.rooms.length === 0 && took.rates.length === 0) return []
  const now: NightValues = had
  enter(now, took)
  return [...monthsWith(months, now)].map(([month, nights]) => ({
    listing_id: claim.listing_id,
    month,
    nights,
  }))
}

function finishedEntry(
  targetId: string,
  run: Run,
  { push, delivery, action }: Result,
  { result }: Outcome,
  settled: Settled | undefined,
): AuditEntry {
  const { failure } = delivery
  const exchange = failure?.exchange ?? delivery.exchanges.at(-1)
  const names = {
    accepted: action,
    again: 'sync.retry_scheduled',
    unasked: failure?.isHeldBack ? 'sync.postponed' : 'sync.retry_scheduled',
    refused: 'sync.failed',
  }
  return {
    ...attemptOf(targetId, run, push),
    action: settled ? names[result] : 'sync.superseded',
    status: settled?.status ?? 'in_progress',
    request: exchange?.request ?? null,
    response: exchange?.response ?? null,
    error: failure && {
      code: failure.code,
      message: failure.message,
      retryable: failure.retryable,
      hint: failure.hint,
    },
    // By the clock that says when it began.
    finished_at: 'now',
    next_attempt_at: settled?.next_attempt_at ?? null,
  }
}

/** Raises what must not stay silent, and takes it back when it is right again. */
async function tell(
  transaction: Transaction,
  targetId: string,
  results: readonly Result[],
  settled: ReadonlyMap<string, Settled>,
) {
  const right = results.filter(({ delivery }) => !delivery.failure).map(({ push }) => push.claim.listing_id)
  const wrong = results.filter(({ push }) => settled.get(push.claim.listing_id)?.status === 'failed')
  if (right.length > 0)
    await resolveAlerts(transaction, ['sync.failed', 'listing.stale'], { listingIds: right })
  if (wrong.length > 0)
    await raiseAlerts(
      transaction,
      wrong.map(({ push: { claim, unit }, delivery: { failure } }) => ({
        account_id: claim.account_id,
        kind: 'sync.failed',
        channel_listing_id: claim.listing_id,
        channel_target_id: targetId,
        unit_id: claim.unit_id,
        message: `${unit.unit.name}: ${failure!.message}`.slice(0, 1_000),
        hint: failure!.hint,
        details: { code: failure!.code },
      })),
    )
}

async function followUp(
  transaction: Transaction,
  targetId: string,
  results: readonly Result[],
  settled: ReadonlyMap<string, Settled>,
) {
  const lost = results.map(({ push }) => push.claim.listing_id).filter((id) => !settled.has(id))
  if (lost.length > 0) await wantWhole(transaction, targetId, lost)
  if (results.some(({ delivery }) => delivery.failure?.code === 'auth_rejected'))
    await enqueue(transaction, CheckTarget, [{ payload: { targetId } }])
}

function log({ orgId }: Transaction, run: Run, { push, delivery }: Result, { result }: Outcome): void {
  const { claim } = push
  const facts = {
    orgId,
    listingId: claim.listing_id,
    jobId: run.jobId,
    attempt: claim.attempts,
    traceId: claim.traceparent?.split('-')[1] ?? '',
    ms: Date.now() - Date.parse(claim.started_at),
  }
  const { failure } = delivery
  if (!failure) return events.pushCompleted(facts)
  const write = result === 'refused' ? events.pushFailed : events.pushRetried
  write({ ...facts, code: failure.code, message: failure.message })
}
