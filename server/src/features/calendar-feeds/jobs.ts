import { handle } from '#queue/job.ts'
import { FetchCalendarFeed } from './fetch-calendar-job.ts'
import { importCalendar, type Reach } from './import-calendar.ts'

export const calendarFeedJobs = (reach: Reach) => [
  handle(FetchCalendarFeed, (scope, { feedId }, run) => importCalendar(scope, reach, feedId, run)),
]
