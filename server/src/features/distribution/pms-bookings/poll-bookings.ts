import { sql } from '#db/sql.ts'
import { isConnectionLoss } from '#db/connect.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import type { BookingPolling, PmsBooking } from '#integrations/pms/pms-booking.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { JobRun } from '#queue/job.ts'
import { withPms, type Connections, type PmsAccess } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection, type TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { completeFailedMessages } from '#features/distribution/pms-messages/complete-failed.ts'
import { applyAndAcknowledge, fetchBooking } from './fetch-booking.ts'
import { wasApplied } from './queries.ts'
import { recordConflicts } from './record-conflicts.ts'
import { subscribeToNotices, type InboxAddress } from './subscribe-to-notices.ts'

const dayMs = 86_400_000
/** Clocks differ, and a change may become visible some time after its timestamp. */
const overlapMs = 600_000
/**
 * After a longer time without a poll the feed does not have everything: a revision leaves it after half an hour, and what
 * was acknowledged after the moment that the database was restored to is no longer in it.
 */
const maxFeedGapMs = 120_000
/** The first poll reads the bookings of this period, which were made before the target was connected. */
const maxPastMs = 400 * dayMs

export interface PollContext extends Connections {
  readonly inbox: InboxAddress
}

/**
 * Finds the bookings whose notices got lost: applies what is not acknowledged yet and, after an outage or a restore, or where
 * the PMS has no acknowledgements, what changed since the last poll. A booking that cannot be saved does not block the others.
 */
export async function pollBookings(
  scope: Scope,
  context: PollContext,
  targetId: string,
  run: Pick<JobRun, 'signal' | 'reportResponse'>,
): Promise<void> {
  const target = await getTargetConnection(scope, targetId)
  if (!target || (target.status !== 'active' && target.status !== 'error')) return
  const poll = await claimPoll(scope, targetId)
  if (!poll) return
  try {
    await withPms(
      scope,
      context,
      target,
      async (access) => {
        const { polling } = access.pms.bookings
        if (!polling) return
        const pollRun = { scope, target, access, polling, poll, failuresInRow: 0 }
        await applyUnacknowledged(pollRun)
        const isComplete = await applyChanges(pollRun)
        if (isComplete) await savePolledUntil(scope, targetId, poll)
        await subscribeToNotices(scope, context, target, pollRun, poll.subscription)
      },
      { signal: run.signal },
    )
    run.reportResponse(true)
    if (target.status === 'active' && isLate(poll)) await resolveLateAlert(scope, targetId)
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    if (error.code === 'timeout') run.reportResponse(false)
    // The next poll is scheduled anyway, and the health check reports a target that does not work.
    if (!error.isThrottledLocally)
      events.bookingPollFailed({ orgId: scope.orgId, targetId, code: error.code })
    if (target.status === 'active' && isLate(poll)) await raiseLateAlert(scope, target, error)
  }
}

/** The bookings of a target that works otherwise, such as with a key that may not read them, are missed by no other check. */
const maxLateMs = 1_800_000
const isLate = ({ polled_at, polled_until }: Poll): boolean =>
  polled_until !== null && Date.parse(polled_at) - polled_until.getTime() > maxLateMs

const raiseLateAlert = (scope: Scope, target: TargetConnection, { message }: PmsFailure) =>
  atomically(scope, (transaction) =>
    raiseAlerts(transaction, [
      {
        account_id: target.account_id,
        kind: 'target.error',
        channel_target_id: target.id,
        message: `${target.name}: its bookings cannot be read. ${message}`,
        hint: 'Check the permissions of the key at the PMS. Until its bookings can be read, their nights may be sold twice.',
      },
    ]),
  )

const resolveLateAlert = (scope: Scope, targetId: string) =>
  atomically(scope, (transaction) => resolveAlerts(transaction, 'target.error', { targetId, itself: true }))

interface PollRun {
  readonly scope: Scope
  readonly target: TargetConnection
  readonly access: PmsAccess
  readonly polling: BookingPolling
  readonly poll: Poll
  /** The number of bookings, one after the other, that the PMS has failed for. */
  failuresInRow: number
}

/** A PMS that fails for so many bookings in a row fails for all. */
const maxFailuresInRow = 4

/** Acknowledging shifts the pages, so the feed is read until it has no booking that was not tried. */
async function applyUnacknowledged(pollRun: PollRun): Promise<void> {
  const tried = new Set<string>()
  const { access, polling } = pollRun
  for (let hasNew = polling.feed !== undefined; hasNew;) {
    hasNew = false
    for await (const page of polling.feed!.unacknowledged(access.call))
      for (const booking of page) {
        const key = booking.revision ?? booking.id
        if (tried.has(key)) continue
        tried.add(key)
        hasNew = true
        await applyOrRecord(pollRun, booking)
      }
  }
}

/** Applies what changed since the last poll. Returns whether all of it is applied. */
async function applyChanges(pollRun: PollRun): Promise<boolean> {
  const { scope, target, access, polling, poll } = pollRun
  const until = poll.polled_until
  const now = Date.parse(poll.polled_at)
  if (until && polling.feed && now - +until < maxFeedGapMs) return true
  const since = until ? new Date(+until - overlapMs) : new Date(now - maxPastMs)
  let isComplete = true
  for await (const page of polling.changedSince(since, access.call))
    for (const booking of page) {
      if (!until && isPast(booking, now)) continue
      if (await wasApplied(scope, target.id, booking)) continue
      isComplete = (await applyOrRecord(pollRun, booking)) && isComplete
    }
  if (isComplete) await completeFailedMessages(scope, target.id, poll.polled_at)
  return isComplete
}

const isPast = ({ lines }: PmsBooking, now: number) =>
  lines.length > 0 &&
  lines.every(({ departure }) => departure !== null && Date.parse(departure) < now - 2 * dayMs)

/** Applies a booking, or records why it could not be applied. Returns false when it must be polled again. */
async function applyOrRecord(pollRun: PollRun, booking: PmsBooking): Promise<boolean> {
  const { scope, target, access, poll } = pollRun
  try {
    const isApplied = await applyAndAcknowledge(scope, target, access, booking, poll.polled_at)
    if (!isApplied) await fetchBooking(scope, target, access, booking, null)
    pollRun.failuresInRow = 0
    return true
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    if (error instanceof PmsFailure) {
      // One that the PMS cannot acknowledge, or show, must not keep those after it from being applied.
      if (error.isThrottledLocally || (error.retryable && ++pollRun.failuresInRow === maxFailuresInRow))
        throw error
      events.bookingPollFailed({ orgId: scope.orgId, targetId: target.id, code: error.code })
      return !error.retryable
    }
    events.bookingSaveFailed({ orgId: scope.orgId, targetId: target.id, booking: booking.id, error })
    await recordUnprocessed(scope, target, booking)
    return false
  }
}

/**
 * A booking that failed with an unexpected error becomes a conflict and is not acknowledged. A conflict that it has already
 * stays open: it says what is wrong with an earlier revision, and may block its nights.
 */
const recordUnprocessed = (scope: Scope, target: TargetConnection, booking: PmsBooking) =>
  atomically(scope, async (transaction) => {
    if (await isInConflict(transaction, target.id, booking.id)) return
    await recordConflicts(transaction, target, booking, [
      { externalId: booking.id, line: null, reason: 'not_processed' },
    ])
  }).catch((error: unknown) =>
    events.bookingSaveFailed({ orgId: scope.orgId, targetId: target.id, booking: booking.id, error }),
  )

const isInConflict = async (transaction: Transaction, targetId: string, pmsBookingId: string) =>
  (await first(
    transaction,
    sql`
      select 1
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and pms_booking_id = ${pmsBookingId}
        and status = 'open'
        and reason <> 'not_processed'`,
  )) !== undefined

interface Poll {
  /** The database time at which this poll began. */
  readonly polled_at: string
  readonly polled_until: Date | null
  /** The subscription to notices that was made within the last day. */
  readonly subscription: string | null
}

/** Starts a poll; undefined when another one began within the last five seconds. */
const claimPoll = (scope: Scope, targetId: string): Promise<Poll | undefined> =>
  first(
    scope,
    sql<Omit<Poll, 'polled_until'> & { polled_until: string | null }>`
      update target_syncs
      set bookings_polled_at = clock_timestamp()
      where org_id = ${scope.orgId}
        and channel_target_id = ${targetId}
        and (bookings_polled_at is null or bookings_polled_at < now() - interval '5 seconds')
      returning clock_timestamp()::text as polled_at,
        iso(bookings_heard_until) as polled_until,
        case when bookings_told_since > now() - interval '1 day' then bookings_told_at end as subscription`,
  ).then(
    (row) => row && { ...row, polled_until: row.polled_until === null ? null : new Date(row.polled_until) },
  )

/** Unless another poll was faster, or the target was given another property meanwhile. */
const savePolledUntil = (scope: Scope, targetId: string, { polled_at, polled_until }: Poll) =>
  rows(
    scope,
    sql`
      update target_syncs
      set bookings_heard_until = greatest(bookings_heard_until, ${polled_at}::timestamptz)
      where org_id = ${scope.orgId}
        and channel_target_id = ${targetId}
        and bookings_heard_until is not distinct from ${polled_until?.toISOString() ?? null}::timestamptz`,
  )
