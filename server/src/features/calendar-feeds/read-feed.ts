import { AnswerTooLong } from '#egress-reply.ts'
import type { Egress } from '#egress.ts'
import { fetchCalendar, UnreachableCalendar, type FetchedCalendar } from './fetch-calendar.ts'
import { largeCalendars, maxBytes, maxSmallBytes, readerMb, readers } from './import-places.ts'
import { readAside } from './read-aside.ts'
import type { CalendarReading, Window } from './read-calendar.ts'

interface Asked {
  readonly url: string
  /** What is known of the calendar that was fetched last. */
  readonly known: { etag: string | null; lastModified: string | null } | null
  readonly window: Window
  /** Whose calendar it is. */
  readonly owner: string
  readonly stopping: AbortSignal
}

/** `same`: as it was. `busy`: other imports take all that this process has for them; it is to be tried later. */
export type FeedReading = 'same' | 'busy' | { fetched: FetchedCalendar; reading: CalendarReading }

/** So long a job waits for a place, before its own place in the queue goes to another. */
const maxWaitMs = 15_000

/**
 * Fetches a calendar and reads it, within what all imports may hold together. A large one is fetched again when there is
 * a place for it: its size is known only when it comes.
 * @throws UnreachableCalendar, UnreadableCalendar, or what `stopping` says
 */
export async function readFeed(
  egress: Egress,
  { url, known, window, owner, stopping }: Asked,
): Promise<FeedReading> {
  const waiting = { maxMs: maxWaitMs, stopping }
  let release: (() => void) | null = null
  try {
    let fetched: FetchedCalendar | null
    try {
      fetched = await fetchCalendar(egress, url, known, { stopping, maxBytes: maxSmallBytes })
    } catch (error) {
      if (!isTooLarge(error)) throw error
      release = await largeCalendars.take(owner, maxBytes, waiting)
      if (!release) return 'busy'
      fetched = await fetchCalendar(egress, url, known, { stopping, maxBytes })
    }
    if (!fetched) return 'same'
    const leave = await readers.take(owner, readerMb, waiting)
    if (!leave) return 'busy'
    try {
      return { fetched, reading: await readAside(fetched.body, window) }
    } finally {
      leave()
    }
  } finally {
    release?.()
  }
}

const isTooLarge = (error: unknown) =>
  error instanceof UnreachableCalendar && error.cause instanceof AnswerTooLong
