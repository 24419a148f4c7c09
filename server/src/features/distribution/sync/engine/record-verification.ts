import type { Transaction } from '#db/scope.ts'
import type { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { JobRun } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { attemptEntry } from './audit-push.ts'
import { lockListings, markListingsFailed } from './queries.ts'
import { recordChecks, type Check, type CheckResult } from '#features/distribution/sync/state-queries.ts'
import {
  maxRepeatedChecks,
  type VerificationTiming,
} from '#features/distribution/sync/verification-timing.ts'
import type { Difference } from '#features/distribution/sync/diff/drift.ts'
import type { Push } from '#features/distribution/sync/push.ts'
import { saveReadBacks } from './queries.ts'
import { blockChanges } from '#features/distribution/pms-access/queries.ts'

/** The result of the check of one listing. */
export interface Verification {
  readonly check: Check
  readonly push: Push
  /** The failed task at the PMS, or why the PMS could not be read. */
  readonly failure: PmsFailure | null
  readonly result: 'verified' | 'late' | 'deferred' | 'rejected'
  /** Null when the PMS was not read. */
  readonly differences: readonly Difference[] | null
}

/** The wait after a check without a valid response. */
const retryAfterMs = 30_000
const maxDifferences = 100

/**
 * Records the results of checks. A difference that stays for several checks is pushed again, and one that returns
 * raises an alert.
 */
export async function recordVerification(
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
        differences: one.differences!.slice(0, maxDifferences),
      })),
    )
  const verified = written.filter(({ result, check }) => result === 'verified' && check.failed_checks > 0)
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
  if (drifted.length === 0) return
  const recurring = drifted.filter((one) => settledById.get(idOf(one))!.failed_checks > maxRepeatedChecks + 1)
  if (recurring.length > 0)
    await raiseAlerts(
      transaction,
      recurring.map((one) => driftAlert(targetId, one)),
    )
  await requestSync(transaction, { listingIds: drifted.map(idOf) }, 'reconcile')
}

const idOf = ({ check }: Verification) => check.listing_id

function toCheckResult({ check, result, failure }: Verification): CheckResult {
  const { listing_id, wanted_version, pushed_at } = check
  const asked = (failure?.retryAfter?.getTime() ?? 0) - Date.now()
  return {
    ...{ listing_id, wanted_version, pushed_at, result },
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
      error: {
        code: failure!.code,
        message: failure!.message,
        retryable: failure!.retryable,
        hint: failure!.hint,
      },
      finished_at: 'now',
    })),
  )
  await raiseAlerts(
    transaction,
    failed.map(({ check, push, failure }) => ({
      account_id: check.account_id,
      kind: 'sync.failed',
      channel_listing_id: check.listing_id,
      channel_target_id: targetId,
      unit_id: check.unit_id,
      message: `${push.unit.unit.name}: ${failure!.message}`.slice(0, 1_000),
      hint: failure!.hint,
      details: { code: failure!.code },
    })),
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
