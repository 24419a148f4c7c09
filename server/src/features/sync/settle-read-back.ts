import type { Transaction } from '#db/scope.ts'
import type { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Run } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { attemptOf } from './audit-push.ts'
import {
  lockListingsOf,
  markListingsFailed,
  settleChecks,
  type Check,
  type CheckResult,
} from './check-queries.ts'
import { maxPatientChecks, type CheckTiming } from './check-timing-queries.ts'
import type { Difference } from './differences.ts'
import type { Push } from './prepare-pushes.ts'
import { keepChecks } from './settle-queries.ts'
import { holdTarget } from './target-queries.ts'

/** What was found of one listing. */
export interface Found {
  readonly check: Check
  readonly push: Push
  /** The task of the PMS that failed, or why nobody could be asked. */
  readonly failure: PmsFailure | null
  readonly result: 'verified' | 'late' | 'unasked' | 'failed'
  /** Null when nobody looked. */
  readonly differences: readonly Difference[] | null
}

/** How long nobody is asked after an answer that was none. */
const troubleMs = 30_000
const shownDifferences = 100

/** Writes what a check found. What the PMS shows wrong for long is pushed again, and a person hears of it. */
export async function settleReadBack(
  transaction: Transaction,
  targetId: string,
  run: Run,
  found: readonly Found[],
  timing: CheckTiming,
): Promise<void> {
  const failing = found.filter(({ result }) => result === 'failed')
  if (failing.length > 0) await lockListingsOf(transaction, failing.map(idOf))
  await holdTarget(transaction, targetId)
  const settled = await settleChecks(transaction, found.map(resultOf), timing)
  const settledById = new Map(settled.map((one) => [one.listing_id, one]))
  const written = found.filter((one) => settledById.has(idOf(one)))
  const looked = written.filter(({ differences }) => differences !== null)
  if (looked.length > 0)
    await keepChecks(
      transaction,
      looked.map((one) => ({
        listing_id: idOf(one),
        in_sync: one.differences!.length === 0,
        differences: one.differences!.slice(0, shownDifferences),
      })),
    )
  const verified = written.filter(({ result, check }) => result === 'verified' && check.failed_checks > 0)
  if (verified.length > 0) await resolveAlerts(transaction, 'drift.found', { listingIds: verified.map(idOf) })
  await tellFailures(
    transaction,
    targetId,
    run,
    written.filter(({ result }) => result === 'failed'),
  )
  const drifted = written.filter(
    (one) =>
      one.result === 'late' &&
      one.differences !== null &&
      settledById.get(idOf(one))!.failed_checks > maxPatientChecks,
  )
  if (drifted.length === 0) return
  const stubborn = drifted.filter((one) => settledById.get(idOf(one))!.failed_checks > maxPatientChecks + 1)
  if (stubborn.length > 0)
    await raiseAlerts(
      transaction,
      stubborn.map((one) => driftAlert(targetId, one)),
    )
  await requestSync(transaction, { listingIds: drifted.map(idOf) }, 'reconcile')
}

const idOf = ({ check }: Found) => check.listing_id

function resultOf({ check, result, failure }: Found): CheckResult {
  const { listing_id, wanted_version, pushed_at } = check
  const asked = (failure?.retryAfter?.getTime() ?? 0) - Date.now()
  return {
    ...{ listing_id, wanted_version, pushed_at, result },
    wait_ms: asked > 0 ? asked : troubleMs,
    error_code: result === 'failed' ? failure!.code : null,
    error_message: result === 'failed' ? failure!.message.slice(0, 1_000) : null,
  }
}

/** As a push that was refused: in the history, in the status of the listing, and as an alert. */
async function tellFailures(
  transaction: Transaction,
  targetId: string,
  run: Run,
  failed: readonly Found[],
): Promise<void> {
  if (failed.length === 0) return
  await markListingsFailed(transaction, failed.map(idOf))
  addAuditEntries(
    transaction,
    failed.map(({ push, failure }) => ({
      ...attemptOf(targetId, run, push),
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

const driftAlert = (targetId: string, { check, push, differences }: Found) => ({
  account_id: check.account_id,
  kind: 'drift.found' as const,
  channel_listing_id: check.listing_id,
  channel_target_id: targetId,
  unit_id: check.unit_id,
  message: `${push.unit.unit.name}: the PMS accepts updates but does not show them.`,
  hint: 'Compare /api/v1/sync/proof of the listing with the PMS: something there may change the values.',
  details: { fields: [...new Set(differences?.map(({ field }) => field))] },
})
