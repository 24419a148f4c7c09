import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { readerMb } from './import-capacity.ts'
import type { CalendarReading, Window } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

/** What a thread receives for each calendar, and sends back. */
export interface ThreadRequest {
  readonly calendar: string | Uint8Array
  readonly window: Window
}
export type ThreadResult = { reading: CalendarReading } | { unreadable: string }

export interface ThreadLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
}

const defaultLimits: ThreadLimits = { timeoutMs: 10_000, memoryMb: readerMb }

/** A thread takes far longer to start than to read a calendar: one of each size waits this long for the next calendar. */
const idleMs = 10_000
const idle = new Map<number, { thread: Worker; timer: NodeJS.Timeout }>()

/**
 * Reads a calendar in a worker thread with limited time and memory. The calendar is untrusted: a rule that expands without
 * end cannot block or crash the worker process. Bytes are transferred, not copied. @throws UnreadableCalendar
 */
export async function readInThread(
  calendar: string | Uint8Array<ArrayBuffer>,
  window: Window,
  { timeoutMs, memoryMb }: ThreadLimits = defaultLimits,
): Promise<CalendarReading> {
  const thread = takeIdle(memoryMb) ?? startThread(memoryMb)
  thread.ref()
  thread.postMessage(
    { calendar, window } satisfies ThreadRequest,
    typeof calendar === 'string' ? [] : [calendar.buffer],
  )
  const result = await receive(thread, timeoutMs)
  keep(thread, memoryMb)
  if ('unreadable' in result) throw new UnreadableCalendar(result.unreadable)
  return result.reading
}

async function receive(thread: Worker, timeoutMs: number): Promise<ThreadResult> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const [result] = (await once(thread, 'message', { signal: timeout })) as [ThreadResult]
    return result
  } catch (error) {
    await thread.terminate()
    if (timeout.aborted || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new UnreadableCalendar('The calendar is too large, or its events repeat without end.')
    throw error
  }
}

function startThread(memoryMb: number): Worker {
  const thread = new Worker(new URL('./calendar-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    execArgv: [],
    env: {},
  })
  // One that ends while it waits is not used again.
  thread.on('error', () => {})
  thread.once('exit', () => {
    if (idle.get(memoryMb)?.thread === thread) takeIdle(memoryMb)
  })
  return thread
}

function takeIdle(memoryMb: number): Worker | undefined {
  const found = idle.get(memoryMb)
  idle.delete(memoryMb)
  clearTimeout(found?.timer)
  return found?.thread
}

function keep(thread: Worker, memoryMb: number): void {
  thread.unref()
  void takeIdle(memoryMb)?.terminate()
  const end = () => void takeIdle(memoryMb)?.terminate()
  idle.set(memoryMb, { thread, timer: setTimeout(end, idleMs).unref() })
}
