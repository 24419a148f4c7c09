import type { Database } from '#db/connect.ts'
import { events } from '#events.ts'
import type { SecretKey } from '#settings.ts'
import { sealingKeys, type KeyUse } from './queries.ts'

/** A key that sealed what is stored and that nobody has given us. */
export interface MissingKey {
  readonly key: string
  readonly kinds: readonly KeyUse['kind'][]
  readonly values: number
}

export async function missingKeys(
  database: Database,
  keys: readonly Pick<SecretKey, 'id'>[],
): Promise<MissingKey[]> {
  const known = new Set(keys.map(({ id }) => id))
  const missing = (await sealingKeys(database)).filter(({ key }) => !known.has(key))
  return [...Map.groupBy(missing, ({ key }) => key)].map(([key, those]) => ({
    key,
    kinds: [...new Set(those.map(({ kind }) => kind))],
    values: those.reduce((sum, { sealed }) => sum + sealed, 0),
  }))
}

/**
 * Says at a start which key was taken away too early. What other keys sealed goes on working, so nobody waits for this:
 * it looks at everything that is sealed. A database that is away is somebody else's news.
 */
export async function tellMissingKeys(database: Database, keys: readonly SecretKey[]): Promise<void> {
  try {
    for (const missing of await missingKeys(database, keys)) events.sealingKeyMissing(missing)
  } catch (error) {
    events.databaseTrouble(error as Error)
  }
}
