// How much time does it take to read an imported calendar in a thread with limited time and memory?
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  readCalendar,
  type Window,
} from '../server/src/features/distribution/calendar-feeds/read-calendar.ts'
import { readInThread } from '../server/src/features/distribution/calendar-feeds/read-in-thread.ts'
import { compareVariants } from './side-by-side.ts'

const today = new Date().toISOString().slice(0, 10)
const window: Window = { timezone: 'Europe/Madrid', from: today, nights: 500, ownUidSuffix: '@ours' }
const file = new URL('../server/src/features/distribution/calendar-feeds/calendar-thread.ts', import.meta.url)

for (const stays of [40, 2_000]) {
  const calendar = calendarOf(stays)
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

function calendarOf(stays: number): string {
  const day = (night: number) =>
    new Date(Date.now() + (night % 500) * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
  const events = Array.from({ length: stays }, (_, at) =>
    [
      ...['BEGIN:VEVENT', `UID:stay-${at}@elsewhere.example`, 'DTSTAMP:20260101T000000Z', 'SUMMARY:Reserved'],
      ...[`DTSTART;VALUE=DATE:${day(at * 4)}`, `DTEND;VALUE=DATE:${day(at * 4 + 3)}`, 'END:VEVENT'],
    ].join('\r\n'),
  )
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:elsewhere', ...events, 'END:VCALENDAR', ''].join('\r\n')
}
