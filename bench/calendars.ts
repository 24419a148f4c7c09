// How much time does it take to read an imported calendar in a thread with limited time and memory?
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  readCalendar,
  type Window,
} from '../server/src/features/distribution/calendar-feeds/read-calendar.ts'
import { readInThread } from '../server/src/features/distribution/calendar-feeds/read-in-thread.ts'
import { calendarOf } from '../server/test/calendars.ts'
import { inDays } from '../server/test/local-days.ts'
import { compareVariants } from './side-by-side.ts'

const window: Window = { timezone: 'Europe/Lisbon', from: inDays(0), nights: 500, ownUidSuffix: '@ours' }
const file = new URL('../server/src/features/distribution/calendar-feeds/calendar-thread.ts', import.meta.url)

for (const stays of [40, 2_000]) {
  const arrivals = Array.from({ length: stays }, (_, at) => (at * 4) % 500)
  const calendar = calendarOf(...arrivals.map((day) => [inDays(day), inDays(day + 3)] as const))
  console.log(`\n${stays} stays (${Math.ceil(calendar.length / 1_024)} KiB)\n`)
  await compareVariants(
    {
      'in this thread, without limits': async () => readCalendar(calendar, window),
      'in the thread that is kept': () => readInThread(calendar, window),
      'in a thread for each calendar': () => readInOwnThread(calendar),
    },
    { rounds: 5, turnMs: 1_500, concurrency: 1 },
  )
}

async function readInOwnThread(calendar: string): Promise<void> {
  const thread = new Worker(file, { env: {}, execArgv: [] })
  thread.postMessage({ calendar, window })
  await once(thread, 'message')
  await thread.terminate()
}
