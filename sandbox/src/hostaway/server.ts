import { interceptCalls } from '../http/apply-fault.ts'
import { openCalls } from '../http/calls.ts'
import { addControlRoutes } from '../http/control-routes.ts'
import { openFaults } from '../http/faults.ts'
import { listen, openServer, type Address } from '../http/server.ts'
import { addHostawayControl } from './control.ts'
import { openDeliveries } from './deliveries.ts'
import { faultReplies } from './faults.ts'
import { openRateLimits } from './rate-limits.ts'
import { addHostawayRoutes, subjectOf } from './routes.ts'
import { openRecords, type Vendor } from './store.ts'

/**
 * Hostaway's public API, version 1, as its reference describes it.
 *
 * Covers access tokens (issue, the second before they are valid, expiry, revocation, 403), the envelope
 * in both its forms, paging, limits by address and account, listings (read, create, update, archived ones,
 * multi-unit ones), listing images fetched later, the calendar (days read, ranges written, 200 in one call),
 * reservations with all thirteen statuses, overbooking protection and `afterId`, unified webhooks with basic
 * authentication, retries and switching off.
 *
 * Leaves out conversations and messages (an event can be sent through the control routes), price details
 * and quotes, fees, taxes, coupons, finance fields, custom fields, owner statements, reviews, tasks, users and
 * groups, dictionaries, the older webhooks and their log, exports to channels, deletion of listings and
 * reservations, limits of single endpoints, `X-RateLimit` headers. `PUT calendar` by single `date` and
 * `POST calendar/batch`, which some descriptions have, are not in the vendor's reference, and not here.
 *
 * Assumed, because nothing is documented: 400 for what does not fit, 404 for what is not there; a sliding window
 * for the limits, in which refused calls do not count; null leaves a calendar value as it is, except where
 * null is read back (closed on arrival or departure, note); one interval that does not fit refuses all; past
 * dates are taken; a range has at most 1,125 nights; when retries happen; what a webhook's answer 3xx means.
 */
export async function startHostaway({ home, ...address }: Address & { home?: string | undefined } = {}) {
  const records = openRecords(home)
  const faults = openFaults()
  const calls = openCalls()
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const rateLimits = openRateLimits(now)
  const deliveries = openDeliveries(records, now)
  const vendor: Vendor = { records, now, notify: deliveries.notify }
  const stopping = new AbortController()
  const app = openServer()
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onClose', async () => {
    await deliveries.close()
    records.close()
  })

  await app.register(
    async (control) => {
      addControlRoutes(control, faults, calls)
      addHostawayControl(control, {
        vendor,
        rateLimits,
        deliveries,
        advanceClock: (byMs) => void (aheadMs += byMs),
      })
    },
    { prefix: '/_control' },
  )
  await app.register(async (api) => {
    interceptCalls(api, {
      calls,
      faults,
      replies: faultReplies,
      subjectOf: subjectOf(vendor),
      stopping: stopping.signal,
    })
    addHostawayRoutes(api, vendor, rateLimits)
  })
  return { url: await listen(app, address), close: () => app.close() }
}
