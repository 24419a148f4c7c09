import { badRequest } from './rejection.ts'

export type Clock = ReturnType<typeof openClock>

/** The time as this server sees it: the machine's, and as much later as it was told. */
export function openClock() {
  let aheadMs = 0
  let last = { ms: 0, micros: 0 }
  return {
    nowMs: () => Date.now() + aheadMs,

    /** A moment in the vendor's spelling: of two in the same millisecond, the second one is later. */
    stampNow(): string {
      const ms = Date.now() + aheadMs
      last = { ms, micros: ms === last.ms ? Math.min(last.micros + 1, 999) : 0 }
      return stamp(ms, last.micros)
    },

    turn(body: unknown) {
      const { ahead_ms: given } = (body ?? {}) as { ahead_ms?: unknown }
      if (!Number.isSafeInteger(given)) throw badRequest('ahead_ms is a whole number')
      aheadMs = given as number
    },

    read: () => ({ now: new Date(Date.now() + aheadMs).toISOString(), ahead_ms: aheadMs }),
  }
}

/** Channex's spelling of a moment: UTC without saying so, to the microsecond. */
function stamp(ms: number, micros: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}`
}
