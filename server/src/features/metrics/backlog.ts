import type { Database } from '#db/connect.ts'
import { gauge } from '#metrics.ts'
import { providers } from '../channel-targets/channel-target.ts'
import { readBacklog } from './queries.ts'

const up = gauge('vacancy_database_up', 'Whether the database answered.')
const depth = gauge(
  'vacancy_queue_jobs',
  'Jobs of all processes: ready, delayed or active.',
  'queue',
  'state',
)
const age = gauge(
  'vacancy_queue_oldest_seconds',
  'For how long the oldest job that is ready has been.',
  'queue',
)
const listings = gauge('vacancy_sync_pending_listings', 'Listings whose PMS lacks a change.', 'provider')
const lag = gauge(
  'vacancy_sync_oldest_pending_seconds',
  'For how long the PMS of one of them has lacked it.',
  'provider',
)

const expired = gauge(
  'vacancy_expired_rows',
  'Rows past their time that are not deleted yet, counted up to 10,000.',
  'table',
)

/** The database is asked once in so long, however many scrape. */
const keptMs = 5_000
const patienceMs = 2_000

/** Sets the figures that all processes have in common. Never fails. */
export function backlogOf(database: Database, notificationDays: number): () => Promise<void> {
  let last: { at: number; read: Promise<void> } | undefined
  const read = async () => {
    const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref())
    const found = await Promise.race([readBacklog(database, notificationDays).catch(() => null), late])
    up.set(found ? 1 : 0)
    // What nobody knows is left out, so that an old figure does not look like a good one.
    for (const one of [depth, age, listings, lag, expired]) one.reset()
    if (!found) return
    for (const { queue, ready, delayed, active, oldest_seconds } of found.queues) {
      depth.set({ queue, state: 'ready' }, ready)
      depth.set({ queue, state: 'delayed' }, delayed)
      depth.set({ queue, state: 'active' }, active)
      age.set({ queue }, oldest_seconds)
    }
    for (const one of found.expired) expired.set({ table: one.kind }, one.expired)
    for (const provider of providers) for (const one of [listings, lag]) one.set({ provider }, 0)
    for (const { provider, listings: behind, oldest_seconds } of found.syncs) {
      listings.set({ provider }, behind)
      lag.set({ provider }, oldest_seconds)
    }
  }
  return async () => {
    if (!last || Date.now() - last.at >= keptMs) last = { at: Date.now(), read: read() }
    await last.read
  }
}
