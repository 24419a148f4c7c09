import { badRequest } from './errors.ts'

/** Dates beyond it cannot be formatted at some point, and nothing would be answered. */
const maxAheadMs = 3_652 * 86_400_000

export type Clock = ReturnType<typeof openClock>

/** The time of this server: the machine's, plus `ahead_ms`. */
export function openClock() {
  let aheadMs = 0
  let last = { ms: 0, micros: 0 }
  return {
    nowMs: () => Date.now() + aheadMs,

    /** The time in the vendor's format; two in the same millisecond differ in their microseconds. */
    stampNow(): string {
      const ms = Date.now() + aheadMs
      last = { ms, micros: ms === last.ms ? Math.min(last.micros + 1, 999) : 0 }
      return stamp(ms, last.micros)
    },

    set(body: unknown) {
      const { ahead_ms: given } = (body ?? {}) as { ahead_ms?: unknown }
      if (!Number.isSafeInteger(given) || Math.abs(given as number) > maxAheadMs)
        throw badRequest('ahead_ms is a whole number, of at most ten years')
      aheadMs = given as number
    },

    read: () => ({ now: new Date(Date.now() + aheadMs).toISOString(), ahead_ms: aheadMs }),
  }
}

/** Channex's format of a time: UTC without an offset, to the microsecond. */
function stamp(ms: number, micros: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}`
}
