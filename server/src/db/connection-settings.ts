import pg from 'pg'

export interface DatabaseOptions {
  url: string
  /** Where to listen for notifications, when `url` leads to a pooler that does not keep a session for each client. */
  directUrl?: string
  poolSize: number
  /** The role that every statement runs under; null keeps the login's own. */
  role: string | null
  statementTimeoutMs: number
  prepare: boolean
  /**
   * Plans each statement once, for whatever values: for who says the same few things again and again. Left to itself,
   * PostgreSQL plans anew for each list of ids that is short, which costs more than most of these statements.
   * Transactions are always like that; of reads it is said here.
   */
  plansOnce?: boolean
  applicationName: string
  onError(error: Error): void
}

// Dates stay the strings that PostgreSQL sends; a timestamp becomes the contract's ISO form.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.DATE, (text) => text],
  [pg.types.builtins.INT8, (text) => Number(text)],
  [pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString()],
])
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? (pg.types.getTypeParser as (o: number, f?: string) => unknown)(oid, format),
}

/**
 * How a connection of a pool is made. What its statements depend on is set again by each transaction (`openingOf`),
 * because a pooler may drop it; the role is given here as well, so that on a direct connection a statement outside of a
 * transaction has it too, and taking it on costs a transaction less.
 */
export const connectionSettings = (options: DatabaseOptions): pg.ClientConfig & { pipeline: boolean } => ({
  ...clientSettings(options.url, options.applicationName),
  query_timeout: options.statementTimeoutMs + 1_000,
  pipeline: true,
  types,
  ...(options.role !== null && { options: `-c role=${options.role}` }),
})

/** What every connection has, whatever it is for. */
export const clientSettings = (url: string, applicationName: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: 2_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})

/** PgBouncer refuses start-up parameters that it does not know, unless it is told to drop them. */
export const refusesOptions = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/i.test(error.message)
