import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { requestCheck } from '../sync-requests/request-check.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { CheckTarget } from '../sync-requests/sync-jobs.ts'
import type { ApplyNotice, BookingNotice } from './booking-notice.ts'
import { listingsNamed } from './queries.ts'

type Effect = (scope: Scope, notice: BookingNotice) => Promise<unknown>

/** What a kind of message leads to; undefined when it is none that we know. Inbound messages never overwrite stock. */
export function effectOf(kind: string, applyNotice: ApplyNotice): Effect | undefined {
  if (/^booking\.(created|updated|cancelled)$/.test(kind)) return applyNotice
  if (kind === 'listing.unmapped')
    return async (scope, notice) =>
      (await applyNotice(scope, notice)) || (await effects['listing.unmapped']!(scope, notice))
  return Object.hasOwn(effects, kind) ? effects[kind] : undefined
}

const within =
  (work: (transaction: Transaction, notice: BookingNotice) => Promise<void>): Effect =>
  (scope, notice) =>
    atomically(scope, (transaction) => work(transaction, notice))

/** Somebody changed something over there: the PMS is read back, and what nobody here decided is put right. */
const look = within(async (transaction, { target, notice }) => {
  // It may be the echo of our own push, or of a booking on its way here: nothing is put right before that is known.
  if (notice.changed) return await requestCheck(transaction, target.id, notice.changed)
  const named = await listingsNamed(transaction, target.id, notice.listings)
  const concern = named.length > 0 ? { listingIds: named.map(({ id }) => id) } : { targetId: target.id }
  await requestSync(transaction, concern, 'webhook')
})

/** What the PMS could not use is looked at at once; a person hears of it where no listing can say it. */
const rejected = (said: string, hint: string) =>
  within(async (transaction, { target, notice }) => {
    const named = await listingsNamed(transaction, target.id, notice.listings)
    if (named.length > 0)
      return void (await requestSync(transaction, { listingIds: named.map(({ id }) => id) }, 'webhook'))
    await requestSync(transaction, { targetId: target.id }, 'webhook')
    const about = { account_id: target.account_id, channel_target_id: target.id }
    await raiseAlerts(transaction, [
      { ...about, kind: 'drift.found', message: `${target.name}: ${said}`, hint },
    ])
  })

const effects: Readonly<Record<string, Effect>> = {
  'unit.updated': look,
  'unit.deleted': look,
  'rate.updated': look,
  'availability.updated': look,
  'listing.unmapped': rejected(
    'the PMS has a booking for a room or rate that is not linked.',
    'Compare the offers of the target with its listings, and link what is missing.',
  ),
  'sync.rejected': rejected(
    'the PMS, or a channel behind it, rejected an update.',
    'Look at the history of the listings of this target.',
  ),
  'sync.confirmed': within((transaction, { target }) =>
    resolveAlerts(transaction, 'drift.found', { targetId: target.id, itself: true }),
  ),
  'connection.disabled': within(async (transaction, { target }) => {
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: target.id } }])
    const message = `${target.name}: the PMS says that a connection was switched off.`
    const hint = 'Switch it on again at the PMS; until then nothing, or not everything, is sold there.'
    await raiseAlerts(transaction, [
      { account_id: target.account_id, kind: 'target.error', channel_target_id: target.id, message, hint },
    ])
  }),
  'connection.enabled': within(async (transaction, { target }) => {
    await enqueue(transaction, CheckTarget, [{ payload: { targetId: target.id } }])
    await resolveAlerts(transaction, 'target.error', { targetId: target.id, itself: true })
  }),
  ping: async () => {},
}
