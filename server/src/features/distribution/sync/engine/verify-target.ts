import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { TaskState } from '#integrations/pms/pms.ts'
import type { JobRun } from '#queue/job.ts'
import {
  providerOf,
  withPms,
  type Connections,
  type PmsAccess,
} from '#features/distribution/pms-access/connect.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { beginChecks, lockListings, markListingsFailed, saveReadBacks, scheduleChecks } from './queries.ts'
import {
  claimChecks,
  type Check,
  recordChecks,
  type CheckResult,
} from '#features/distribution/sync/state-queries.ts'
import {
  maxPendingChecks,
  maxRepeatedChecks,
  type VerificationTiming,
} from '#features/distribution/sync/state.ts'
import { findDifferences, type Difference } from '#features/distribution/sync/diff/content.ts'
import { readShown, unitFailures } from './deliver.ts'
import { attemptEntry, failureAlert, toAuditError } from './attempt-entry.ts'
import { planPushes } from './plan-push.ts'
import { blockChanges } from '#features/distribution/pms-access/queries.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import type { Push } from '#features/distribution/sync/push.ts'

/** After this time a job leaves the rest to the next one. */
const jobMs = 30_000

/**
 * Checks whether the PMS has what it accepted: by the tasks that it named, or by reading it back. It runs beside
 * pushes, uses only calls that they do not need, and a push meanwhile makes its result void.
 */
export async function verifyTarget(
  scope: Scope,
  engine: Connections & VerificationTiming,
  targetId: string,
  run: JobRun,
): Promise<void> {
  const begun = performance.now()
  for (;;) {
    const isLast: boolean = run.signal.aborted || performance.now() > begun + jobMs
    const turn = await atomically(scope, async (transaction) => {
      await blockChanges(transaction, targetId)
      const target = await beginChecks(transaction, targetId)
      if (!target) return null
      const { unitsPerRead } = providerOf(engine, target)
      const checks = isLast ? [] : await claimChecks(transaction, targetId, engine, unitsPerRead)
      if (checks.length === 0) await scheduleChecks(transaction, targetId, engine)
      return checks.length === 0 ? null : { target, checks, areAll: checks.length < unitsPerRead }
    })
    if (!turn) return
    const { target, checks, areAll } = turn
    const found = await verifyAll(scope, engine, target, checks, run)
    await atomically(scope, async (transaction) => {
      await recordVerification(transaction, targetId, run, found, engine)
      if (areAll) await scheduleChecks(transaction, targetId, engine)
    })
    if (areAll) return
  }
}

async function verifyAll(
  scope: Scope,
  engine: Connections & VerificationTiming,
  target: TargetConnection,
  checks: readonly Check[],
  run: JobRun,
): Promise<Verification[]> {
  const provider = providerOf(engine, target)
  const pushes = await atomically(scope, (transaction: Transaction) =>
    planPushes(transaction, target.id, provider, checks),
  )
  const asked = checks.map((check, at) => ({ check, push: pushes[at]! }))
  const limits = { signal: run.signal, lastsMs: jobMs, isBackground: true }
  try {
    return await withPms(scope, engine, target, (access) => compareAll(access, asked), limits)
  } catch (failure) {
    if (!(failure instanceof PmsFailure)) throw failure
    return asked.map((one) => ({ ...one, failure, result: 'deferred', differences: null }))
  }
}

type PendingCheck = Pick<Verification, 'check' | 'push'>

async function compareAll(
  { pms, provider, call }: PmsAccess,
  asked: readonly PendingCheck[],
): Promise<Verification[]> {
  const found: Verification[] = []
  const toRead: (PendingCheck & Pick<Verification, 'failure'>)[] = []
  const tasks = new Set(asked.flatMap(({ check }) => check.tasks.filter((task) => task !== '')))
  const states = tasks.size > 0 ? await pms.getTaskStates?.([...tasks], call) : undefined
  for (const one of asked) {
    if (one.push.failure) {
      found.push({ ...one, failure: one.push.failure, result: 'unreadable', differences: null })
      continue
    }
    const { state, failure } = combinedTaskState(one, states)
    if (state === 'pending' && one.check.failed_checks < maxPendingChecks)
      found.push({ ...one, failure: null, result: 'late', differences: null })
    else if (state === 'completed')
      found.push({ ...one, failure: null, result: 'verified', differences: null })
    else toRead.push({ ...one, failure })
  }
  if (toRead.length === 0) return found
  const pushes = toRead.map(({ push }) => push)
  const { shown, failed } = await readShown({ connection: pms, call }, pushes)
  const failures = new Map(failed.map(({ push, update }) => [push, update.failure]))
  for (const { failure: failedTask, ...one } of toRead) {
    const unread = failures.get(one.push)
    const differences = unread
      ? null
      : findDifferences(one.push, shown.get(one.check.external_id!) ?? null, provider)
    if (differences?.length === 0) found.push({ ...one, failure: null, result: 'verified', differences })
    else if (failedTask) found.push({ ...one, failure: failedTask, result: 'rejected', differences })
    else if (unread) {
      const result = shown.size > 0 || unitFailures.has(unread.code) ? 'unreadable' : 'deferred'
      found.push({ ...one, failure: unread, result, differences })
    } else found.push({ ...one, failure: null, result: 'late', differences })
  }
  return found
}

/**
 * The state of a listing's tasks; `unknown` requests a read-back. A failure that concerns it is one only if the PMS does
 * not show what is wanted: a later push may have replaced the value, or another unit of the message was meant.
 */
function combinedTaskState(
  { check, push }: PendingCheck,
  states: ReadonlyMap<string, TaskState> | undefined,
): { state: 'pending' | 'completed' | 'unknown'; failure: PmsFailure | null } {
  const own = new Set([check.external_id, ...push.links.map(({ externalId }) => externalId)])
  const known = check.tasks.map((task) => states?.get(task) ?? { state: 'unknown' as const })
  const failed = known.find(
    (task) =>
      task.state === 'failed' &&
      (task.externalIds.length === 0 || task.externalIds.some((id) => own.has(id))),
  )
  const failure = failed?.state === 'failed' ? failed.failure : null
  if (known.some(({ state }) => state === 'pending')) return { state: 'pending', failure }
  const isUnknown = failure !== null || known.length === 0 || known.some(({ state }) => state === 'unknown')
  return { state: isUnknown ? 'unknown' : 'completed', failure }
}

/** The result of the check of one listing. */
interface Verification {
  readonly check: Check
  readonly push: Push
  /** The failed task at the PMS, or why the PMS could not be read. */
  readonly failure: PmsFailure | null
  readonly result: CheckResult['result'] | 'unreadable'
  /** Null when the PMS was not read. */
  readonly differences: readonly Difference[] | null
}

/** The wait after a check without a valid response. */
const retryAfterMs = 30_000

/**
 * Records the results of checks. A difference that stays for several checks is pushed again, and one that returns
 * raises an alert.
 */
async function recordVerification(
  transaction: Transaction,
  targetId: string,
  run: JobRun,
  found: readonly Verification[],
  timing: VerificationTiming,
): Promise<void> {
  const failing = found.filter(({ result }) => result === 'rejected')
  if (failing.length > 0) await lockListings(transaction, failing.map(idOf))
  await blockChanges(transaction, targetId)
  const settled = await recordChecks(transaction, found.map(toCheckResult), timing)
  const settledById = new Map(settled.map((one) => [one.listing_id, one]))
  const written = found.filter((one) => settledById.has(idOf(one)))
  const looked = written.filter(({ differences }) => differences !== null)
  if (looked.length > 0)
    await saveReadBacks(
      transaction,
      looked.map((one) => ({
        listing_id: idOf(one),
        in_sync: one.differences!.length === 0,
        differences: one.differences!,
      })),
    )
  // Whatever failed checks it has had: a push since then has begun to count them from zero.
  const verified = written.filter(({ result }) => result === 'verified')
  if (verified.length > 0) await resolveAlerts(transaction, 'drift.found', { listingIds: verified.map(idOf) })
  await recordRejections(
    transaction,
    targetId,
    run,
    written.filter(({ result }) => result === 'rejected'),
  )
  const drifted = written.filter(
    (one) =>
      one.result === 'late' &&
      one.differences !== null &&
      settledById.get(idOf(one))!.failed_checks > maxRepeatedChecks,
  )
  // A push reads it back too, and reports the failure.
  const unreadable = written.filter(({ result }) => result === 'unreadable')
  if (drifted.length + unreadable.length === 0) return
  const recurring = drifted.filter((one) => settledById.get(idOf(one))!.failed_checks > maxRepeatedChecks + 1)
  if (recurring.length > 0)
    await raiseAlerts(
      transaction,
      recurring.map((one) => driftAlert(targetId, one)),
    )
  await requestSync(transaction, { listingIds: [...drifted, ...unreadable].map(idOf) }, 'reconcile')
}

const idOf = ({ check }: Verification) => check.listing_id

function toCheckResult({ check, result, failure }: Verification): CheckResult {
  const { listing_id, wanted_version, pushed_at, check_at } = check
  const asked = (failure?.retryAfter?.getTime() ?? 0) - Date.now()
  return {
    ...{ listing_id, wanted_version, pushed_at, check_at },
    result: result === 'unreadable' ? 'deferred' : result,
    wait_ms: asked > 0 ? asked : retryAfterMs,
    error_code: result === 'rejected' ? failure!.code : null,
    error_message: result === 'rejected' ? failure!.message.slice(0, 1_000) : null,
  }
}

/** Records failed tasks like refused pushes: in the audit, in the status of the listing, and as an alert. */
async function recordRejections(
  transaction: Transaction,
  targetId: string,
  run: JobRun,
  failed: readonly Verification[],
): Promise<void> {
  if (failed.length === 0) return
  await markListingsFailed(transaction, failed.map(idOf))
  addAuditEntries(
    transaction,
    failed.map(({ push, failure }) => ({
      ...attemptEntry(targetId, run, push),
      calendar: null,
      action: 'sync.failed',
      status: 'failed',
      request: failure!.exchange?.request ?? null,
      response: failure!.exchange?.response ?? null,
      error: toAuditError(failure!),
      finished_at: 'now',
    })),
  )
  await raiseAlerts(
    transaction,
    failed.map(({ push, failure }) => failureAlert(targetId, push, failure!)),
  )
}

const driftAlert = (targetId: string, { check, push, differences }: Verification) => ({
  account_id: check.account_id,
  kind: 'drift.found' as const,
  channel_listing_id: check.listing_id,
  channel_target_id: targetId,
  unit_id: check.unit_id,
  message: `${push.unit.unit.name}: the PMS accepts updates but does not show them.`,
  hint: 'Compare /api/v1/sync/proof of the listing with the PMS: something there may change the values.',
  details: { fields: [...new Set(differences?.map(({ field }) => field))] },
})
