import { parentPort, workerData } from 'node:worker_threads'
import type { Said } from './read-aside.ts'
import { readCalendar, type Window } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** The thread that a stranger's calendar is read in. */
const { calendar, window } = workerData as { calendar: string | Uint8Array; window: Window }
parentPort!.postMessage(said())

function said(): Said {
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
