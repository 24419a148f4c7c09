import { badRequest } from './rejection.ts'

export type Clock = ReturnType<typeof openClock>

/** The time as this server sees it: the machine's, and as much later as it was told. */
export function openClock() {
  let aheadMs = 0
  return {
    nowMs: () => Date.now() + aheadMs,

    turn(body: unknown) {
      const { ahead_ms: given } = (body ?? {}) as { ahead_ms?: unknown }
      if (!Number.isSafeInteger(given)) throw badRequest('ahead_ms is a whole number')
      aheadMs = given as number
    },

    read: () => ({ now: new Date(Date.now() + aheadMs).toISOString(), ahead_ms: aheadMs }),
  }
}

/** Channex's spelling of a moment: UTC without saying so, to the microsecond. */
export function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000`
}
