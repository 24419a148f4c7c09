/**
 * What all imports of a process may hold at once. Each takes a part of a fixed capacity while it works, so that calendars
 * of any number and kind cost a known amount of memory. An owner works on one at a time, and of several owners the one
 * comes next who was served least recently: no organization keeps the others waiting.
 */
export interface Places {
  /** Waits for a part of the capacity; null when it was not free in time. The answer gives it back. */
  take(owner: string, weight: number, waiting: Waiting): Promise<(() => void) | null>
  readonly used: number
}

export interface Waiting {
  readonly maxMs: number
  readonly stopping: AbortSignal
}

interface Waiter {
  readonly owner: string
  readonly weight: number
  begin(): void
}

export function createPlaces(capacity: number): Places {
  const busy = new Set<string>()
  const waiters = new Set<Waiter>()
  const served = new Map<string, number>()
  let used = 0
  let turn = 0

  const next = () =>
    [...waiters]
      .filter(({ owner }) => !busy.has(owner))
      .toSorted((one, other) => (served.get(one.owner) ?? 0) - (served.get(other.owner) ?? 0))[0]

  /** Whoever comes next is waited for, also when something smaller would fit: else the large would wait for ever. */
  function admit(): void {
    for (let waiter = next(); waiter && used + waiter.weight <= capacity; waiter = next()) waiter.begin()
    if (busy.size === 0 && waiters.size === 0) served.clear()
  }

  function occupy({ owner, weight }: Waiter): () => void {
    busy.add(owner)
    used += weight
    served.set(owner, ++turn)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      busy.delete(owner)
      used -= weight
      admit()
    }
  }

  return {
    get used() {
      return used
    },
    async take(owner, weight, { maxMs, stopping }) {
      stopping.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<(() => void) | null>()
      const waiter: Waiter = { owner, weight, begin: () => end(() => resolve(occupy(waiter))) }
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

/** A calendar up to this size is fetched without waiting: nearly all are smaller. */
export const maxSmallBytes = 256 * 1_024
export const maxBytes = 5 * 1_048_576

/** Bytes of large calendars that are fetched, or wait to be read: one at a time. */
export const largeCalendars = createPlaces(maxBytes)

/** Heap that a calendar is read in, in MB: enough for 2 MiB of usual events. */
export const readerMb = 32
export const readers = createPlaces(readerMb)
