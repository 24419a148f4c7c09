import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadResult } from './read-in-thread.ts'
import { readCalendar, type Window } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** The worker thread that reads an imported calendar. */
const { calendar, window } = workerData as { calendar: string | Uint8Array; window: Window }
parentPort!.postMessage(readResult())

function readResult(): ThreadResult {
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
