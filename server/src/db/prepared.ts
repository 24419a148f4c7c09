import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { clientSettings, type DatabaseOptions } from './connection-settings.ts'

/**
 * Names for prepared statements, by their text. A named statement is planned once per connection:
 * 1.7 times the reads of an unnamed one (bench/reads.ts). The number of names is bounded, because
 * each one stays in every connection; texts beyond it go unnamed.
 */
const limit = 500
const names = new Map<string, string>()

export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= limit) return undefined
  const name = createHash('sha1').update(text).digest('hex').slice(0, 16)
  names.set(text, name)
  return name
}

/**
 * A pooler in transaction mode gives one session of the database to many clients, and their prepared statements meet
 * there. @throws Error with a sentence when they do
 */
export async function assertStatementsStay({ url, applicationName }: DatabaseOptions): Promise<void> {
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
      'The pooler at DATABASE_URL does not keep prepared statements for each client: set DATABASE_PREPARE=false, or let the pooler carry them (PgBouncer from 1.21, max_prepared_statements).',
      { cause: error },
    )
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}
