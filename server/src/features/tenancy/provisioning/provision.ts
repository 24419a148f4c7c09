import type { Config } from '#config/config.ts'
import { openDatabase, type Connection, type Database } from '#db/connect.ts'

/**
 * Runs one transaction as the owner of the tables. The command line writes organizations and members this way; the role of
 * the API may not.
 */
export const asOwner = <T>(
  config: Pick<Config, 'database'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => withOwner(config, (owner) => owner.transaction({ orgId: null }, work))

export async function withOwner<T>(
  { database }: Pick<Config, 'database'>,
  work: (owner: Database) => Promise<T>,
): Promise<T> {
  await using owner = openOwner(database.ownerUrl)
  return await work(owner)
}

/** No request waits for what the owner writes, which may be thousands of rows on a busy machine. */
export const openOwner = (url: string): Database =>
  openDatabase({
    url,
    poolSize: 2,
    role: null,
    statementTimeoutMs: 2 * 60_000,
    prepare: false,
    applicationName: 'vacancy provisioning',
    onError: () => {},
  })
