import type { Account } from './account.ts'
import { unauthorized } from './rejection.ts'

export type Caller = ReturnType<typeof identify>

/** Who holds this key. Until keys are seeded any will do, so that a test needs no account; one that begins with
 * `invalid` never does. */
export function identify(given: string | undefined, account: Account) {
  if (!given || given.startsWith('invalid')) throw unauthorized()
  const key = account.keys.get(given)
  if (!key && account.keys.size > 0) throw unauthorized()
  return {
    /** Whether there is such a property, and the key opens it. */
    mayUse: (propertyId: string) =>
      account.properties.has(propertyId) && (!key?.properties || key.properties.includes(propertyId)),

    /** What a key makes, it opens. */
    made(propertyId: string) {
      if (key?.properties) account.save('keys', { ...key, properties: [...key.properties, propertyId] })
    },
  }
}
