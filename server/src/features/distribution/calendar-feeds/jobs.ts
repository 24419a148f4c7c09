import { job } from '#queue/job.ts'
import { sql } from 'kysely'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

/** Fetches the calendar of an import, and blocks its nights. */
export const FetchCalendarFeed = job<{ feedId: string }>({
  name: 'fetch-calendar-feed',
  queue: 'upkeep',
  key: ({ feedId }) => feedId,
  resource: ({ feedId }) => feedId,
})

export const calendarFeedSchedule: readonly PeriodicTask[] = [
  { name: 'fetch-calendars', intervalMs: 60_000, run: fetchDueCalendars },
]

/** Enqueues the imported calendars that are due, every half hour. Returns their number. */
export async function fetchDueCalendars(context: TaskContext): Promise<number> {
  const feeds = await findInAllOrganizations(
    context,
    sql<{ org_id: string; calendar_feed_id: string }>`
      select *
      from calendar_feeds_to_fetch()`,
  )
  await enqueueForEach(context, FetchCalendarFeed, feeds, ({ calendar_feed_id }) => ({
    feedId: calendar_feed_id,
  }))
  return feeds.length
}
