import { Worker } from 'node:worker_threads'
import { readerMb } from './import-places.ts'
import type { CalendarReading, Window } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** What the thread says at its end. */
export type Said = { reading: CalendarReading } | { unreadable: string }

export interface Patience {
  readonly timeoutMs: number
  readonly memoryMb: number
}

const patience: Patience = { timeoutMs: 10_000, memoryMb: readerMb }

/**
 * Reads a calendar in a thread of its own. A stranger wrote it: a rule that is worked out without end, or that fills
 * the memory, ends with the thread, and pushes go on meanwhile. Bytes are given away, not copied.
 * @throws UnreadableCalendar
 */
export async function readAside(
  calendar: string | Uint8Array<ArrayBuffer>,
  window: Window,
  { timeoutMs, memoryMb }: Patience = patience,
): Promise<CalendarReading> {
  const thread = new Worker(new URL('./calendar-thread.ts', import.meta.url), {
    workerData: { calendar, window },
    transferList: typeof calendar === 'string' ? [] : [calendar.buffer],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    execArgv: [],
    env: {},
  })
  const { promise, resolve, reject } = Promise.withResolvers<Said>()
  thread.once('message', resolve)
  thread.once('error', (error: Error & { code?: string }) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ unreadable: tooMuch }) : reject(error),
  )
  const timer = setTimeout(() => resolve({ unreadable: tooMuch }), timeoutMs)
  try {
    const said = await promise
    if ('unreadable' in said) throw new UnreadableCalendar(said.unreadable)
    return said.reading
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

const tooMuch = 'The calendar takes too long to work out: its events repeat without end, or it is too large.'
