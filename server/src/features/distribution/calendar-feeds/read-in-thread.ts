import { Worker } from 'node:worker_threads'
import { readerMb } from './import-capacity.ts'
import type { CalendarReading, Window } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** The message that the thread sends when it ends. */
export type ThreadResult = { reading: CalendarReading } | { unreadable: string }

export interface ThreadLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
}

const defaultLimits: ThreadLimits = { timeoutMs: 10_000, memoryMb: readerMb }

/**
 * Reads a calendar in a worker thread with limited time and memory. The calendar is untrusted: a rule that expands without
 * end cannot block or crash the worker process. Bytes are transferred, not copied. @throws UnreadableCalendar
 */
export async function readInThread(
  calendar: string | Uint8Array<ArrayBuffer>,
  window: Window,
  { timeoutMs, memoryMb }: ThreadLimits = defaultLimits,
): Promise<CalendarReading> {
  const thread = new Worker(new URL('./calendar-thread.ts', import.meta.url), {
    workerData: { calendar, window },
    transferList: typeof calendar === 'string' ? [] : [calendar.buffer],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    execArgv: [],
    env: {},
  })
  const { promise, resolve, reject } = Promise.withResolvers<ThreadResult>()
  thread.once('message', resolve)
  thread.once('error', (error: Error & { code?: string }) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ unreadable: tooComplex }) : reject(error),
  )
  const timer = setTimeout(() => resolve({ unreadable: tooComplex }), timeoutMs)
  try {
    const result = await promise
    if ('unreadable' in result) throw new UnreadableCalendar(result.unreadable)
    return result.reading
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

const tooComplex = 'The calendar is too large, or its events repeat without end.'
