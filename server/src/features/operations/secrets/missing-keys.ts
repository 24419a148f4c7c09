import type { Database } from '#db/connect.ts'
import { events } from '#telemetry/log.ts'
import type { SecretKey } from '#config/secrets.ts'
import { countByKey, type KeyUse } from './reseal.ts'

/** A key that stored secrets are sealed with, but that is not configured. */
export interface MissingKey {
  readonly key: string
  readonly kinds: readonly KeyUse['kind'][]
  readonly values: number
}

export async function findMissingKeys(
  database: Database,
  keys: readonly Pick<SecretKey, 'id'>[],
): Promise<MissingKey[]> {
  const known = new Set(keys.map(({ id }) => id))
  const unknown = (await countByKey(database)).filter(({ key }) => !known.has(key))
  return [...Map.groupBy(unknown, ({ key }) => key)].map(([key, uses]) => ({
    key,
    kinds: [...new Set(uses.map(({ kind }) => kind))],
    values: uses.reduce((sum, { sealed }) => sum + sealed, 0),
  }))
}

/**
 * Logs keys that were removed too early. Runs in the background of a start, because it reads all sealed values and those
 * of other keys still work. An unavailable database is only logged here.
 */
export async function logMissingKeys(database: Database, keys: readonly SecretKey[]): Promise<void> {
  try {
    for (const missing of await findMissingKeys(database, keys)) events.sealingKeyMissing(missing)
  } catch (error) {
    events.databaseError(error as Error)
  }
}
