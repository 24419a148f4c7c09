import { parentPort } from 'node:worker_threads'
import type { ThreadRequest, ThreadResult } from './read-in-thread.ts'
import { readCalendar } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** The worker thread that reads imported calendars, one after the other. */
parentPort!.on('message', (request: ThreadRequest) => parentPort!.postMessage(read(request)))

function read({ calendar, window }: ThreadRequest): ThreadResult {
  try {
    return {
      reading: readCalendar(
        typeof calendar === 'string' ? calendar : new TextDecoder().decode(calendar),
        window,
      ),
    }
  } catch (error) {
    if (error instanceof UnreadableCalendar) return { unreadable: error.message }
    throw error
  }
}
