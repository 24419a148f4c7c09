/**
 * A stand-in for Channex, under `/api/v1`, with control routes under `/_control`.
 *
 * Covers API keys and what they open · properties, room types, rate plans and webhooks with their fields,
 * checks, pages, filters, order and `options` · availability, rates and restrictions by date and by range,
 * tasks and how they end (the address `/tasks/:id` is assumed), warnings, past dates by the property's own calendar, ten messages of either kind in any minute for
 * each property, messages under 10 MB, and reading back · rates by occupancy · bookings and their revisions,
 * the feed with its thirty minutes, acknowledgement, availability lowered by new bookings · notices of
 * bookings, and of nights that a message or a person has changed (`ari`), with retries, copies and disorder.
 *
 * Leaves out sales channels and their mapping · groups, users, taxes, photos, facilities and policies as
 * resources · prices derived from another plan or occupancy, lowest and highest prices, cut-off times and the
 * most days ahead · availability rules · notices that are neither about bookings nor `ari` · messages,
 * reviews, no-shows and payment cards · the limits of size, beyond which Channex charges more.
 */
import { interceptCalls } from '../http/apply-fault.ts'
import { openCalls } from '../http/calls.ts'
import { addControlRoutes } from '../http/control-routes.ts'
import { openFaults } from '../http/faults.ts'
import { listen, openServer, type Address } from '../http/server.ts'
import { openLimits } from './access.ts'
import { openBookings } from './bookings.ts'
import { openClock } from './clock.ts'
import { addChannexControl } from './control.ts'
import { openDeliveries, openNightNotices } from './deliveries.ts'
import { faultReplies } from './faults.ts'
import { openTasks } from './messages.ts'
import { addChannexRoutes, subjectOf } from './routes.ts'
import { openAccount } from './store.ts'

const maxBodyBytes = 10_000_000

/** A Channex that keeps what it is sent, and fails on demand. */
export async function startChannex({ home, ...address }: Address & { home?: string | undefined } = {}) {
  const stopping = new AbortController()
  const account = openAccount(home)
  const clock = openClock()
  const limits = openLimits()
  const deliveries = openDeliveries(clock, stopping.signal)
  const applyAndNotify = openNightNotices(account, deliveries, clock)
  const tasks = openTasks(applyAndNotify)
  const bookings = openBookings(account, deliveries, clock)
  const channex = { account, applyAndNotify, bookings, clock, deliveries, limits, tasks }
  const faults = openFaults()
  const calls = openCalls()
  const sendDue = () => {
    bookings.notifyMissed()
    return deliveries.sendDue()
  }
  const timer = setInterval(() => void sendDue(), 1000).unref()

  const app = openServer({ maxBodyBytes })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('preClose', async () => {
    clearInterval(timer)
    stopping.abort()
  })
  app.addHook('onClose', async () => account.close())

  await app.register(
    async (control) => {
      addControlRoutes(control, faults, calls)
      addChannexControl(control, channex, sendDue)
    },
    { prefix: '/_control' },
  )
  await app.register(async (api) => {
    interceptCalls(api, { calls, faults, replies: faultReplies, subjectOf, stopping: stopping.signal })
    addChannexRoutes(api, channex)
  })
  return { url: await listen(app, address), close: () => app.close() }
}
