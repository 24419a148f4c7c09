import { ResponseTooLarge } from '#egress/response.ts'
import type { Egress } from '#egress/egress.ts'
import { fetchCalendar, UnreachableCalendar, type FetchedCalendar } from './fetch-calendar.ts'
import { largeFetches, maxBytes, maxSmallBytes, readerMb, readers } from './import-capacity.ts'
import { readInThread } from './read-in-thread.ts'
import type { CalendarReading, Window } from './read-calendar.ts'

interface FeedRequest {
  readonly url: string
  /** The HTTP validators of the last fetch; null to fetch the calendar in any case. */
  readonly validators: { etag: string | null; lastModified: string | null } | null
  readonly window: Window
  /** The organization, which waits in turn with the others. */
  readonly owner: string
  readonly stopping: AbortSignal
}

/** `unchanged` since the last fetch, or `busy`: other imports use the capacity of this process, so it is fetched later. */
export type FeedReading = 'unchanged' | 'busy' | { fetched: FetchedCalendar; reading: CalendarReading }

/** After this time without capacity, a job ends so that another can run. */
const maxWaitMs = 15_000

/**
 * Fetches and reads a calendar within the capacity that all imports share. A large calendar is fetched again when there is
 * capacity for it, because its size is known only during the fetch.
 * @throws UnreachableCalendar, UnreadableCalendar, or the reason of `stopping`
 */
export async function readFeed(
  egress: Egress,
  { url, validators, window, owner, stopping }: FeedRequest,
): Promise<FeedReading> {
  const waiting = { maxMs: maxWaitMs, stopping }
  let releaseFetch: (() => void) | null = null
  try {
    let fetched: FetchedCalendar | null
    try {
      fetched = await fetchCalendar(egress, url, validators, { stopping, maxBytes: maxSmallBytes })
    } catch (error) {
      if (!isTooLarge(error)) throw error
      releaseFetch = await largeFetches.acquire(owner, maxBytes, waiting)
      if (!releaseFetch) return 'busy'
      fetched = await fetchCalendar(egress, url, validators, { stopping, maxBytes })
    }
    if (!fetched) return 'unchanged'
    const releaseReader = await readers.acquire(owner, readerMb, waiting)
    if (!releaseReader) return 'busy'
    try {
      return { fetched, reading: await readInThread(fetched.body, window) }
    } finally {
      releaseReader()
    }
  } finally {
    releaseFetch?.()
  }
}

const isTooLarge = (error: unknown) =>
  error instanceof UnreachableCalendar && error.cause instanceof ResponseTooLarge
