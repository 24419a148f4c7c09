import type { SyncStatus } from '@vacancy/client'

/** Each state of a listing stays this long, or a fast sync would look as if nothing had happened. */
const seenMs = 160
/** Changes of many listings are drawn together; one drawing per event would starve the page. */
const gatherMs = 30

interface Waiting {
  statuses: SyncStatus[]
  shownAt: number
}

/** Passes on what arrives in order, every state of a listing in its turn, and always the last word. */
export const pacing = (show: (batch: Map<string, SyncStatus>) => void) => {
  const listings = new Map<string, Waiting>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const pass = () => {
    timer = undefined
    const now = performance.now()
    const batch = new Map<string, SyncStatus>()
    for (const [id, listing] of listings) {
      if (now - listing.shownAt < seenMs) continue
      const next = listing.statuses.shift()
      if (next) batch.set(id, next)
      else listings.delete(id)
      listing.shownAt = now
    }
    if (batch.size > 0) show(batch)
    if (listings.size > 0) timer = setTimeout(pass, gatherMs)
  }

  return (status: SyncStatus) => {
    const { channel_listing_id: id } = status
    const listing = listings.get(id) ?? { statuses: [], shownAt: -Infinity }
    listings.set(id, listing)
    withLast(listing.statuses, status)
    timer ??= setTimeout(pass, gatherMs)
  }
}

const most = 3

/** A state that repeats takes the place of the one before; a long row loses its oldest. */
const withLast = (statuses: SyncStatus[], status: SyncStatus) => {
  if (statuses.at(-1)?.status === status.status) statuses.pop()
  statuses.push(status)
  if (statuses.length > most) statuses.shift()
}
