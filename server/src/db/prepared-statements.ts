import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { clientSettings, type DatabaseOptions } from './connection-settings.ts'

/**
 * Names of prepared statements, by text. A named statement is planned once per connection, which allows 1.7 times as
 * many reads per second (bench/reads.ts). The number is bounded, because every connection keeps each prepared statement;
 * further texts get no name.
 */
const maxNames = 500
const names = new Map<string, string>()

export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= maxNames) return undefined
  const name = createHash('sha1').update(text).digest('hex').slice(0, 16)
  names.set(text, name)
  return name
}

/**
 * A pooler in transaction mode shares one session between clients, where their prepared statements may collide.
 * @throws Error that says what to change when they do
 */
export async function assertPreparedStatementsWork({ url, applicationName }: DatabaseOptions): Promise<void> {
  const clients = [1, 2].map(() => new pg.Client(clientSettings(url, applicationName)))
  const statement = { name: `probe_${randomBytes(8).toString('hex')}`, text: 'select $1::int', values: [1] }
  try {
    for (const client of clients) {
      client.on('error', () => {})
      await client.connect()
    }
    for (const client of [...clients, ...clients]) await client.query(statement)
  } catch (error) {
    if (!/^(42P05|26000)$/.test(String((error as { code?: unknown }).code))) throw error
    throw new Error(
      'The pooler at DATABASE_URL does not support prepared statements. Set DATABASE_PREPARE=false, or enable them in the pooler (PgBouncer 1.21 or later, max_prepared_statements).',
      { cause: error },
    )
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}
