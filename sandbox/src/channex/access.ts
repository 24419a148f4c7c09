import { isObject } from './checks.ts'
import { badRequest, tooManyRequests, unauthorized } from './errors.ts'
import type { Account } from './store.ts'

export type Caller = ReturnType<typeof identify>

/**
 * The holder of a key. Until keys are seeded any key is valid, so that a test needs no account; one that begins with
 * `invalid` never is.
 */
export function identify(given: string | undefined, account: Account) {
  if (!given || given.startsWith('invalid')) throw unauthorized()
  const key = account.keys.get(given)
  if (!key && account.keys.size > 0) throw unauthorized()
  return {
    /** True if the property exists and the key gives access to it. */
    mayUse: (propertyId: string) =>
      account.properties.has(propertyId) && (!key?.properties || key.properties.includes(propertyId)),

    /** A key gives access to the properties that were created with it. */
    addProperty(propertyId: string) {
      if (key?.properties) account.save('keys', { ...key, properties: [...key.properties, propertyId] })
    },
  }
}

const minuteMs = 60_000

export type Limits = ReturnType<typeof openLimits>

/** How many messages of a kind a property accepts in any minute. Refused messages do not count. */
export function openLimits() {
  let perMinute: number | null = 10
  const taken = new Map<string, number[]>()

  return {
    /** Counts one message for each of its properties. If any property is at its limit, the message counts for none. */
    take(kind: string, propertyIds: Iterable<string>, nowMs: number) {
      if (perMinute === null) return
      const keys = [...propertyIds].map((id) => `${kind} ${id}`)
      const recent = keys.map((key) => (taken.get(key) ?? []).filter((ms) => ms > nowMs - minuteMs))
      const limit = perMinute
      if (recent.some((times) => times.length >= limit)) throw tooManyRequests()
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
