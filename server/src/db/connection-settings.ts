import { hash, randomBytes } from 'node:crypto'
import pg from 'pg'
import type { AvoidedPlan } from './setup-statement.ts'

export interface DatabaseOptions {
  url: string
  /** Where to listen for notifications when `url` leads to a pooler in transaction mode. */
  directUrl?: string
  poolSize: number
  /** The role that every statement runs as; null keeps the login role. */
  role: string | null
  statementTimeoutMs: number
  /** For opening a connection; by default a third of the statement timeout, between 2 and 10 s. */
  connectTimeoutMs?: number | undefined
  /** By default four fifths of the statement timeout, at most five seconds. */
  lockTimeoutMs?: number
  prepare: boolean
  /**
   * What the planner avoids wherever it can, for processes that keep their plans for long. It costs a write a fourteenth to
   * a tenth of the time of PostgreSQL, so the API does without.
   */
  avoidedPlans?: readonly AvoidedPlan[]
  applicationName: string
  onError(error: Error): void
}

// Dates stay the strings that PostgreSQL sends; timestamps become ISO 8601, as the contract has them.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.DATE, (text) => text],
  [pg.types.builtins.INT8, (text) => Number(text)],
  [pg.types.builtins.TIMESTAMPTZ, isoTimestamp],
])

/** In UTC, as the sessions of the product are, the text of PostgreSQL needs no date: a list has a timestamp in each row. */
function isoTimestamp(text: string): string {
  const [, date, time, fraction = ''] = utcTimestamp.exec(text) ?? []
  if (date === undefined) return new Date(text).toISOString()
  return `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}
const utcTimestamp = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/

export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? (pg.types.getTypeParser as (o: number, f?: string) => unknown)(oid, format),
}

const connectionTimeoutMs = 2_000

/**
 * The settings of a pooled connection. Each transaction sets the role again (`buildSetupStatement`), because a pooler
 * may drop startup parameters. The startup parameter covers statements outside of transactions on a direct connection,
 * and makes the switch in each transaction cheaper.
 */
export const connectionSettings = (
  options: DatabaseOptions,
): pg.ClientConfig & { connectionTimeoutMillis: number; pipeline: boolean } => ({
  ...clientSettings(options.url, options.applicationName),
  // Who waits long for a statement, as the commands do, also waits longer for a busy server.
  connectionTimeoutMillis:
    options.connectTimeoutMs ??
    Math.min(10_000, Math.max(connectionTimeoutMs, options.statementTimeoutMs / 3)),
  pipeline: true,
  types,
  ...(options.role !== null && { options: `-c role=${options.role}` }),
})

/** The settings of every connection, pooled or not. */
export const clientSettings = (url: string, applicationName: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: connectionTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})

/** PgBouncer rejects startup parameters that it does not know, unless it is configured to ignore them. */
export const rejectsStartupOptions = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/i.test(error.message)

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
  const name = hash('sha1', text, 'hex').slice(0, 16)
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
