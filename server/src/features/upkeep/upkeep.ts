import { atomically } from '#db/scope.ts'
import { events } from '#events.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { ExpireHold } from '../bookings/booking-jobs.ts'
import { nextFullSync } from '../channel-targets/full-sync-schedule.ts'
import { AskForBookings, RetryBookingConflict } from '../pms-bookings/pms-booking-jobs.ts'
import { FetchCalendarFeed } from '../calendar-feeds/fetch-calendar-job.ts'
import { holdTargets } from '../sync-requests/queries.ts'
import { SendRefund, SettlePayment } from '../payments/payment-jobs.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { CheckTarget, ReadTargetBack, SyncTarget } from '../sync-requests/sync-jobs.ts'
import { EraseGuest } from '../guests/erasure-job.ts'
import { RemoveLeftFiles } from '../media/media-jobs.ts'
import { DeliverWebhooks } from '../webhook-endpoints/delivery-job.ts'
import { deleteExpired } from './delete-expired.ts'
import { forgetLongPast } from './forget-long-past.ts'
import { enqueueAll, scopeOf, type Keeper } from './keeper.ts'
import {
  bookingConflictsToRetry,
  calendarFeedsToFetch,
  findFullSyncCron,
  guestErasuresToWork,
  holdsToExpire,
  identityConflictsToClose,
  listingsGoneStale,
  listingsToVerify,
  markStale,
  organizationsWithLeftFiles,
  overdueTargets,
  paymentsToSettle,
  setNextReconcile,
  targetsToAskForBookings,
  targetsToCheck,
  targetsToReadBack,
  targetsToReconcile,
  webhookEndpointsDue,
} from './queries.ts'

interface Retention {
  readonly guestDays: number
  readonly notificationDays: number
}

/**
 * What nobody asks for but everybody relies on: a push whose job was lost is enqueued again, targets are asked
 * how they are, what is past its time is removed. Every worker may do it; doing it twice changes nothing.
 */
export function keepUp(keeper: Keeper, retention: Retention): () => void {
  const stopping = new AbortController()
  const timers = [
    every(15_000, () => rescueOverdue(keeper)),
    every(60_000, () => checkTargets(keeper)),
    every(60_000, () => reconcileTargets(keeper)),
    every(10_000, () => tellStale(keeper)),
    every(10_000, () => verifySample(keeper)),
    every(10_000, () => readTargetsBack(keeper)),
    every(60_000, () => fetchCalendars(keeper)),
    every(15_000, () => rescueHolds(keeper)),
    every(2_000, () => retryWebhooks(keeper)),
    every(15_000, () => settlePayments(keeper)),
    every(15_000, () => askForBookings(keeper)),
    every(15_000, () => retryBookingConflicts(keeper)),
    every(600_000, () => removeLeft(keeper)),
    every(
      60_000,
      once(() => deleteExpired(keeper.database, retention, stopping.signal)),
    ),
    every(60_000, () => rescueErasures(keeper)),
    every(600_000, () => forgetLongPast(keeper, retention.guestDays)),
    every(600_000, () => closeIdentityConflicts(keeper)),
  ]
  return () => {
    stopping.abort()
    timers.forEach(clearInterval)
  }
}

export async function rescueOverdue(keeper: Keeper): Promise<number> {
  const overdue = await overdueTargets(keeper.database)
  if (overdue.length > 0) events.overdueFound(overdue.length)
  await enqueueAll(keeper, SyncTarget, overdue, ({ channel_target_id }) => ({ targetId: channel_target_id }))
  return overdue.length
}

/** Payments and refunds of which nobody has said anything for long: the provider is asked. */
export async function settlePayments(keeper: Keeper): Promise<number> {
  const waiting = await paymentsToSettle(keeper.database)
  const isRefund = (row: (typeof waiting)[number]) => row.payment_refund_id !== null
  await enqueueAll(keeper, SendRefund, waiting.filter(isRefund), (row) => ({
    refundId: row.payment_refund_id!,
  }))
  await enqueueAll(
    keeper,
    SettlePayment,
    waiting.filter((row) => !isRefund(row)),
    (row) => ({ intentId: row.payment_intent_id }),
  )
  return waiting.length
}

/** Once a day each, the PMS is read back over all nights, and what differs is pushed; everything only at the times set for it. */
export async function reconcileTargets(keeper: Keeper): Promise<number> {
  const targets = await targetsToReconcile(keeper.database)
  for (const { org_id, channel_target_id: targetId } of targets)
    await atomically(scopeOf(keeper, org_id), async (transaction) => {
      // The lock of the target before its row, as a worker takes them.
      await holdTargets(transaction, { targetId })
      const cron = await findFullSyncCron(transaction, targetId)
      if (await setNextReconcile(transaction, targetId, cron === null ? null : nextFullSync(cron)))
        await requestSync(transaction, { targetId }, 'schedule', cron === null ? 'delta' : 'full')
    })
  return targets.length
}

/** Listings whose turn it is to be read back: after a push whose job was lost, or because nothing was pushed for long. */
export async function readTargetsBack(keeper: Keeper): Promise<number> {
  const targets = await targetsToReadBack(keeper.database)
  await enqueueAll(keeper, ReadTargetBack, targets, ({ channel_target_id }) => ({
    targetId: channel_target_id,
  }))
  return targets.length
}

/** Reads back those of the sample whose time has come. */
export async function verifySample(keeper: Keeper): Promise<number> {
  const sample = await listingsToVerify(keeper.database)
  for (const [orgId, those] of Map.groupBy(sample, ({ org_id }) => org_id))
    await atomically(scopeOf(keeper, orgId), (transaction) =>
      requestSync(
        transaction,
        { listingIds: those.map(({ channel_listing_id }) => channel_listing_id) },
        'reconcile',
      ),
    )
  return sample.length
}

/** A listing that is behind for longer than its target allows says so. */
export async function tellStale(keeper: Keeper): Promise<number> {
  const stale = await listingsGoneStale(keeper.database)
  for (const [orgId, those] of Map.groupBy(stale, ({ org_id }) => org_id))
    await atomically(scopeOf(keeper, orgId), async (transaction) => {
      const marked = await markStale(
        transaction,
        those.map(({ channel_listing_id }) => channel_listing_id),
      )
      await raiseAlerts(
        transaction,
        marked.map(({ name, behind_since, ...ids }) => ({
          ...ids,
          kind: 'listing.stale' as const,
          message: `${name}: the PMS has not taken changes since ${behind_since}.`,
          hint: 'Look at the history of the listing: it says what the PMS answers. Bookings may come in for nights that are taken.',
        })),
      )
    })
  return stale.length
}

async function checkTargets(keeper: Keeper): Promise<void> {
  const targets = await targetsToCheck(keeper.database)
  await enqueueAll(keeper, CheckTarget, targets, ({ channel_target_id }) => ({ targetId: channel_target_id }))
}

/** Calendars of others are read every half an hour. */
export async function fetchCalendars(keeper: Keeper): Promise<number> {
  const feeds = await calendarFeedsToFetch(keeper.database)
  await enqueueAll(keeper, FetchCalendarFeed, feeds, ({ calendar_feed_id }) => ({ feedId: calendar_feed_id }))
  return feeds.length
}

/** Deliveries whose next attempt is due, and those whose worker was lost. */
export async function retryWebhooks(keeper: Keeper): Promise<number> {
  const due = await webhookEndpointsDue(keeper.database)
  await enqueueAll(keeper, DeliverWebhooks, due, ({ webhook_endpoint_id }) => ({
    endpointId: webhook_endpoint_id,
  }))
  return due.length
}

/** Files of uploads that were broken off, and of records that went with what they belonged to. */
export async function removeLeft(keeper: Keeper): Promise<number> {
  const organizations = await organizationsWithLeftFiles(keeper.database)
  await enqueueAll(keeper, RemoveLeftFiles, organizations, () => ({}))
  return organizations.length
}

/** Rooms that nobody took in time are given back, also when the job was lost. */
export async function rescueHolds(keeper: Keeper): Promise<number> {
  const holds = await holdsToExpire(keeper.database)
  await enqueueAll(keeper, ExpireHold, holds, ({ booking_id }) => ({ bookingId: booking_id }))
  return holds.length
}

/** Each PMS once a minute: its notices of bookings can get lost. */
export async function askForBookings(keeper: Keeper): Promise<number> {
  const targets = await targetsToAskForBookings(keeper.database)
  await enqueueAll(keeper, AskForBookings, targets, ({ channel_target_id }) => ({
    targetId: channel_target_id,
  }))
  return targets.length
}

/** Bookings of a PMS that may be mapped, or may fit, by now. */
export async function retryBookingConflicts(keeper: Keeper): Promise<number> {
  const conflicts = await bookingConflictsToRetry(keeper.database)
  await enqueueAll(keeper, RetryBookingConflict, conflicts, ({ booking_conflict_id }) => ({
    conflictId: booking_conflict_id,
  }))
  return conflicts.length
}

/** Nobody has tried again for a week: what was refused needs no attention any more. */
export async function closeIdentityConflicts(keeper: Keeper): Promise<void> {
  for (const { org_id } of await identityConflictsToClose(keeper.database))
    await atomically(scopeOf(keeper, org_id), (transaction) =>
      resolveAlerts(transaction, 'member.identity_conflict', { isAny: true }),
    )
}

/** Guests who are to be forgotten, also when the job was lost. */
export async function rescueErasures(keeper: Keeper): Promise<number> {
  const open = await guestErasuresToWork(keeper.database)
  await enqueueAll(keeper, EraseGuest, open, ({ guest_erasure_id }) => ({ erasureId: guest_erasure_id }))
  return open.length
}

const every = (ms: number, work: () => Promise<unknown>) =>
  setInterval(() => void work().catch((error: unknown) => events.queueTrouble(error)), ms)

/** The same work is not begun again while it still runs. */
function once<T>(work: () => Promise<T>): () => Promise<T | undefined> {
  let isRunning = false
  return async () => {
    if (isRunning) return undefined
    isRunning = true
    try {
      return await work()
    } finally {
      isRunning = false
    }
  }
}
