import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { Notice, NoticeBody } from '#integrations/pms/pms-notice.ts'
import { enqueue } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { requestCheck, requestSync, CheckTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { listListingsByExternalId } from './queries.ts'

/** A notice, with the target it was sent to. */
interface TargetNotice {
  readonly target: TargetConnection
  readonly kind: string
  readonly notice: Notice
  readonly body: NoticeBody
  /** When it happened; when it was received if the notice does not say. */
  readonly occurredAt: string
}

/**
 * Updates a booking to its state at the PMS. Applying the same notice twice, or an older one late, changes nothing.
 * Returns false when the notice does not identify the booking.
 */
export type ApplyBookingNotice = (scope: Scope, notice: TargetNotice) => Promise<boolean>

type Effect = (scope: Scope, notice: TargetNotice) => Promise<unknown>

/** The effect of a kind of message; undefined for an unknown kind. Inbound messages never overwrite availability. */
export function effectFor(kind: string, applyNotice: ApplyBookingNotice): Effect | undefined {
  if (/^booking\.(created|updated|cancelled)$/.test(kind)) return applyNotice
  if (kind === 'listing.unmapped')
    return async (scope, notice) =>
      (await applyNotice(scope, notice)) || (await effects['listing.unmapped']!(scope, notice))
  return Object.hasOwn(effects, kind) ? effects[kind] : undefined
}

const inTransaction =
  (work: (transaction: Transaction, notice: TargetNotice) => Promise<void>): Effect =>
  (scope, notice) =>
    atomically(scope, (transaction) => work(transaction, notice))

/** Something was changed at the PMS: it is read back, and what differs from here is corrected. */
const verifyListings = inTransaction(async (transaction, { target, notice }) => {
  // The change may be our own push, or a booking that is about to arrive, so it is checked before it is corrected.
  if (notice.changedNights) return await requestCheck(transaction, target.id, notice.changedNights)
  const listings = await listListingsByExternalId(transaction, target.id, notice.listings)
  const selection =
    listings.length > 0 ? { listingIds: listings.map(({ id }) => id) } : { targetId: target.id }
  await requestSync(transaction, selection, 'webhook')
})

/** Verifies the listings of the notice; raises an alert when it names no listing that could show the problem. */
const verifyOrAlert = (problem: string, hint: string) =>
  inTransaction(async (transaction, { target, notice }) => {
    const listings = await listListingsByExternalId(transaction, target.id, notice.listings)
    if (listings.length > 0)
      return void (await requestSync(transaction, { listingIds: listings.map(({ id }) => id) }, 'webhook'))
    await requestSync(transaction, { targetId: target.id }, 'webhook')
    const subject = { account_id: target.account_id, channel_target_id: target.id }
    await raiseAlerts(transaction, [
      { ...subject, kind: 'drift.found', message: `${target.name}: ${problem}`, hint },
    ])
  })

const effects: Readonly<Record<string, Effect>> = {
  'unit.updated': verifyListings,
  'unit.deleted': verifyListings,
  'rate.updated': verifyListings,
  'availability.updated': verifyListings,
  'listing.unmapped': verifyOrAlert(
    'the PMS has a booking for a room or rate that is not linked.',
    'Compare the offers of the target with its listings, and link what is missing.',
  ),
  'sync.rejected': verifyOrAlert(
    'the PMS, or a channel behind it, rejected an update.',
    'Open the sync history of the listings of this target.',
  ),
  'sync.confirmed': inTransaction((transaction, { target }) =>
    resolveAlerts(transaction, 'drift.found', { targetId: target.id, itself: true }),
  ),
  'connection.disabled': inTransaction(async (transaction, { target }) => {
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: target.id } }])
    const message = `${target.name}: a connection was switched off at the PMS.`
    const hint = 'Switch it on again at the PMS. Until then, sales there are stopped or incomplete.'
    await raiseAlerts(transaction, [
      { account_id: target.account_id, kind: 'target.error', channel_target_id: target.id, message, hint },
    ])
  }),
  'connection.enabled': inTransaction(async (transaction, { target }) => {
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: target.id } }])
    await resolveAlerts(transaction, 'target.error', { targetId: target.id, itself: true })
  }),
  ping: async () => {},
}
