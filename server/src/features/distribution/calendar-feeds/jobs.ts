import { sql } from '#db/sql.ts'
import { rows } from '#db/scope.ts'
import { enqueue, job } from '#queue/job.ts'
import {
  findInAllOrganizations,
  forEachOrganization,
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

/**
 * When an import is due whose fetch is enqueued. If it was due now, the periodic task would enqueue it again every minute
 * until it is fetched; if the fetch records nothing, because the feed was changed meanwhile, there is another one then.
 */
export const afterEnqueuedFetch = sql`now() + interval '5 minutes'`

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
  await forEachOrganization(context, feeds, async (transaction, feedsOfOrg) => {
    const ids = feedsOfOrg.map(({ calendar_feed_id }) => calendar_feed_id)
    // Whoever has locked a feed decides when it is due.
    await rows(
      transaction,
      sql`
        update calendar_feeds
        set next_fetch_at = ${afterEnqueuedFetch}
        where org_id = ${transaction.orgId}
          and id in (
            select id
            from calendar_feeds
            where org_id = ${transaction.orgId}
              and id = any (${ids}::uuid[])
              and next_fetch_at <= now()
            for no key update skip locked
          )`,
    )
    await enqueue(
      transaction,
      FetchCalendarFeed,
      ids.map((feedId) => ({ payload: { feedId } })),
    )
  })
  return feeds.length
}
