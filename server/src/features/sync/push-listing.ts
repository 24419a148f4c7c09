import { createHash } from 'node:crypto'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#events.ts'
import {
  PmsFailure,
  type Accepted,
  type Exchange,
  type PmsConnection,
  type UnitContent,
} from '#outside/pms/pms.ts'
import { enqueue, type Run } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry.ts'
import { lookForTarget } from '../channel-targets/queries.ts'
import { connectTarget, type Connections } from '../channel-targets/connect-target.ts'
import { addAuditEntries, type AuditEntry } from '../sync-requests/audit-queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { CheckTarget, SyncListing } from '../sync-requests/sync-listing-job.ts'
import { changesBetween, contentOf, partOf, type Change } from './content.ts'
import {
  claimListing,
  leaveUnclaimed,
  noteSent,
  settleAccepted,
  settleFailed,
  wantedOf,
  type Claim,
  type Settled,
} from './queries.ts'
import { maxAttempts, nextAttemptAt } from './sync-status.ts'

/**
 * Longer than one attempt may take: two calls, each with the longest time-out that a target may have. It is only
 * for a job that was lost; the job of a worker that died runs again under its own name, without waiting.
 */
const leaseMs = 130_000

interface Push {
  readonly claim: Claim
  readonly content: UnitContent
  readonly changes: Change[]
  readonly entry: AuditEntry
}

/**
 * Brings the PMS up to date with one listing: reads what is wanted now, sends what differs from what the PMS
 * took last, and records both. Safe to run twice and late: only the holder of the claim writes a result.
 */
export async function pushListing(
  scope: Scope,
  connections: Connections,
  listingId: string,
  run: Run,
): Promise<void> {
  const push = await atomically(scope, (transaction) => begin(transaction, listingId, run))
  if (!push) return
  const { claim } = push
  try {
    if (claim.attempts > maxAttempts)
      throw new PmsFailure('internal', 'The push was interrupted too often.', {
        hint: 'Trigger the sync; if it happens again, look at the log of the workers.',
      })
    const target = await lookForTarget(scope, claim.channel_target_id)
    const connection = connectTarget(connections, scope.orgId, target!)
    const { action, accepted } = await deliver(connection, push, listingId, { scope, run })
    await atomically(scope, (transaction) => succeed(transaction, listingId, push, action, accepted))
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    const isOver = !run.signal.aborted
    await atomically(scope, (transaction) =>
      fail(transaction, listingId, push, isOver ? error : brokenOff(error), isOver),
    )
  }
}

async function begin(transaction: Transaction, listingId: string, run: Run): Promise<Push | undefined> {
  const claim = await claimListing(transaction, listingId, run.jobId, leaseMs)
  if (!claim) {
    const later = await leaveUnclaimed(transaction, listingId, run.jobId)
    if (later)
      await enqueue(transaction, SyncListing, [{ payload: { listingId }, at: new Date(later.due_at) }])
    return undefined
  }
  const content = contentOf(await wantedOf(transaction, claim.unit_id))
  const changes = changesBetween(claim.accepted, content, claim.in_doubt)
  if (changes.length > 0)
    await noteSent(
      transaction,
      listingId,
      changes.map(({ field }) => field),
    )
  const entry: AuditEntry = {
    account_id: claim.account_id,
    channel_listing_id: listingId,
    channel_target_id: claim.channel_target_id,
    unit_id: claim.unit_id,
    job_id: run.jobId,
    action: 'sync.started',
    status: 'in_progress',
    mode: claim.mode,
    trigger: claim.trigger,
    attempt: claim.attempts,
    max_attempts: maxAttempts,
    actor: claim.requested_by,
    changes,
    started_at: claim.started_at,
    trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
  }
  await addAuditEntries(transaction, [entry])
  return { claim, content, changes, entry }
}

/** The cheapest call that makes the PMS right: nothing, a look, what differs, or everything. */
async function deliver(
  connection: PmsConnection,
  { claim, content, changes }: Push,
  listingId: string,
  { scope, run }: { scope: Scope; run: Run },
): Promise<{ action: string; accepted: Accepted }> {
  const call = {
    idempotencyKey: keyOf(listingId, claim, content, changes),
    traceparent: scope.traceparent,
    signal: run.signal,
  }
  const { external_id: externalId } = claim
  if (claim.mode === 'full' || !claim.accepted)
    return { action: 'sync.completed', accepted: await connection.publish(externalId, content, call) }
  if (changes.length > 0)
    return {
      action: 'sync.completed',
      accepted: await connection.amend(externalId, partOf(content, changes), content, call),
    }
  if (claim.trigger !== 'manual') return { action: 'sync.skipped', accepted: { exchanges: [] } }
  // A person asks although nothing differs from what was accepted: believe the PMS, not our memory of it.
  const shown = await connection.read(externalId, { traceparent: scope.traceparent, signal: run.signal })
  if (shown && changesBetween(shown, content).length === 0)
    return { action: 'sync.verified', accepted: { exchanges: [] } }
  return { action: 'sync.repaired', accepted: await connection.publish(externalId, content, call) }
}

/** The same wish in the same words has the same key, so a lost reply never becomes a second effect. */
function keyOf(
  listingId: string,
  { wanted_version, mode }: Claim,
  content: UnitContent,
  changes: Change[],
): string {
  const words = JSON.stringify([mode, content, changes.map(({ field }) => field)])
  return `${listingId}.${wanted_version}.${createHash('sha256').update(words).digest('base64url').slice(0, 16)}`
}

async function succeed(
  transaction: Transaction,
  listingId: string,
  push: Push,
  action: string,
  { exchanges }: Accepted,
) {
  const settled = await settleAccepted(transaction, listingId, push.claim, push.content)
  const exchange = exchanges.at(-1)
  await addAuditEntries(transaction, [
    {
      ...push.entry,
      action: settled ? action : 'sync.superseded',
      status: settled ? 'completed' : 'in_progress',
      ...sentAndReceived(exchange),
      finished_at: new Date().toISOString(),
    },
  ])
  await followUp(transaction, listingId, settled)
  events.pushCompleted(facts(transaction, listingId, push))
}

/** The worker stops: nobody knows what the PMS did with it, and the next worker asks at once. */
const brokenOff = ({ exchange, cause }: PmsFailure) =>
  new PmsFailure('internal', 'The worker stopped before the PMS had answered.', {
    hint: 'Nothing to do: the push is tried again by itself.',
    exchange,
    cause,
  })

async function fail(
  transaction: Transaction,
  listingId: string,
  push: Push,
  failure: PmsFailure,
  isCounted: boolean,
) {
  const { claim } = push
  const again = !isCounted || (failure.retryable && claim.attempts < maxAttempts)
  const next = isCounted ? nextAttemptAt(claim.attempts, failure.retryAfter) : new Date()
  const settled = await settleFailed(transaction, listingId, claim, {
    code: failure.code,
    message: failure.message,
    nextAttemptAt: again ? next : null,
    isCounted,
  })
  await addAuditEntries(transaction, [
    {
      ...push.entry,
      action: !settled ? 'sync.superseded' : again ? 'sync.retry_scheduled' : 'sync.failed',
      status: settled?.status ?? 'in_progress',
      ...sentAndReceived(failure.exchange),
      error: {
        code: failure.code,
        message: failure.message,
        retryable: failure.retryable,
        hint: failure.hint,
      },
      finished_at: new Date().toISOString(),
      next_attempt_at: settled?.next_attempt_at ?? null,
    },
  ])
  await followUp(transaction, listingId, settled)
  if (failure.code === 'auth_rejected')
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: claim.channel_target_id } }])
  const log = again ? events.pushRetried : events.pushFailed
  log({ ...facts(transaction, listingId, push), code: failure.code, message: failure.message })
}

/**
 * Something changed while we were pushing, or an attempt waits: the next job is part of this transaction. After a
 * lost claim two attempts have spoken to the PMS, in an order that nobody knows: a whole push settles it.
 */
async function followUp(transaction: Transaction, listingId: string, settled: Settled | undefined) {
  if (!settled) return void (await requestSync(transaction, { listingId }, 'reconcile', 'full'))
  if (settled.status !== 'pending') return
  const at = settled.due ? null : new Date(settled.due_at)
  await enqueue(transaction, SyncListing, [{ payload: { listingId }, at }])
}

const sentAndReceived = (exchange: Exchange | null | undefined) => ({
  request: exchange?.request ?? null,
  response: exchange?.response ?? null,
})

const facts = (scope: Scope, listingId: string, { claim, entry }: Push) => ({
  orgId: scope.orgId,
  listingId,
  jobId: entry.job_id ?? '',
  attempt: claim.attempts,
  traceId: entry.trace_id ?? '',
  ms: Date.now() - Date.parse(claim.started_at),
})
