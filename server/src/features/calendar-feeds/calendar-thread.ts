import { parentPort, workerData } from 'node:worker_threads'
import type { Said } from './read-aside.ts'
import { readCalendar, type Window } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** The thread that a stranger's calendar is read in. */
const { text, window } = workerData as { text: string; window: Window }
parentPort!.postMessage(said())

function said(): Said {
  try {
    return { reading: readCalendar(text, window) }
  } catch (error) {
    if (error instanceof UnreadableCalendar) return { unreadable: error.message }
    throw error
  }
}
