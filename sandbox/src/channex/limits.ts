import { isObject } from './checks.ts'
import { badRequest, tooMany } from './rejection.ts'

const minuteMs = 60_000

export type Limits = ReturnType<typeof openLimits>

/** How many messages of a kind a property may get in any minute. Refused ones do not count. */
export function openLimits() {
  let perMinute: number | null = 10
  const taken = new Map<string, number[]>()

  return {
    /** Counts one message for each property in it; if any has had its share, the message counts for none. */
    take(kind: string, propertyIds: Iterable<string>, nowMs: number) {
      if (perMinute === null) return
      const keys = [...propertyIds].map((id) => `${kind} ${id}`)
      const recent = keys.map((key) => (taken.get(key) ?? []).filter((ms) => ms > nowMs - minuteMs))
      const most = perMinute
      if (recent.some((times) => times.length >= most)) throw tooMany()
      keys.forEach((key, n) => taken.set(key, [...(recent[n] ?? []), nowMs]))
    },

    set(body: unknown) {
      const given = isObject(body) ? body['per_minute'] : undefined
      if (given !== null && !(Number.isSafeInteger(given) && Number(given) > 0))
        throw badRequest('per_minute is a whole number above 0, or null for none')
      perMinute = given as number | null
    },

    read: () => ({ per_minute: perMinute }),
  }
}
