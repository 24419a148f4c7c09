/**
 * A fixed capacity that all imports of a process share, so that any number of calendars uses a bounded amount of memory.
 * An owner has one import at a time, and the owner that was served least recently is next: no organization starves the
 * others.
 */
export interface CapacityLimiter {
  /** Waits for a part of the capacity. Returns the function that releases it; null when it was not free in time. */
  acquire(owner: string, weight: number, waiting: Waiting): Promise<(() => void) | null>
  readonly used: number
}

interface Waiting {
  readonly maxMs: number
  readonly stopping: AbortSignal
}

interface Waiter {
  readonly owner: string
  readonly weight: number
  start(): void
}

export function createLimiter(capacity: number): CapacityLimiter {
  const busy = new Set<string>()
  const waiters = new Set<Waiter>()
  const served = new Map<string, number>()
  let used = 0
  let turn = 0

  const next = () =>
    [...waiters]
      .filter(({ owner }) => !busy.has(owner))
      .toSorted((one, other) => (served.get(one.owner) ?? 0) - (served.get(other.owner) ?? 0))[0]

  /** Starts waiters strictly in order: if smaller ones could overtake, a large one would starve. */
  function admit(): void {
    for (let waiter = next(); waiter && used + waiter.weight <= capacity; waiter = next()) waiter.start()
    if (busy.size === 0 && waiters.size === 0) served.clear()
  }

  function occupy({ owner, weight }: Waiter): () => void {
    busy.add(owner)
    used += weight
    served.set(owner, ++turn)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      busy.delete(owner)
      used -= weight
      admit()
    }
  }

  return {
    get used() {
      return used
    },
    async acquire(owner, weight, { maxMs, stopping }) {
      stopping.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<(() => void) | null>()
      const waiter: Waiter = { owner, weight, start: () => end(() => resolve(occupy(waiter))) }
      const end = (settle: () => void) => {
        waiters.delete(waiter)
        clearTimeout(timer)
        stopping.removeEventListener('abort', stop)
        settle()
      }
      const stop = () => end(() => reject(stopping.reason as Error))
      const timer = setTimeout(() => end(() => resolve(null)), maxMs)
      stopping.addEventListener('abort', stop, { once: true })
      waiters.add(waiter)
      admit()
      return await promise
    },
  }
}

/** A calendar up to this size is fetched without waiting. Nearly all are smaller. */
export const maxSmallBytes = 256 * 1_024
export const maxBytes = 5 * 1_048_576

/** Limits large calendars, by bytes, from the fetch until they are read: one at a time. */
export const largeFetches = createLimiter(maxBytes)

/** The heap of a thread that reads a calendar, in MB: enough for 2 MiB of ordinary events. */
export const readerMb = 32
export const readers = createLimiter(readerMb)
