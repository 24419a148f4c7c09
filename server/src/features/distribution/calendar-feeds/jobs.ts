import { job } from '#queue/job.ts'

/** Fetches the calendar of an import, and blocks its nights. */
export const FetchCalendarFeed = job<{ feedId: string }>({
  name: 'fetch-calendar-feed',
  queue: 'upkeep',
  key: ({ feedId }) => feedId,
  resource: ({ feedId }) => feedId,
})
