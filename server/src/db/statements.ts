import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { RawBuilder } from 'kysely'

/** A statement that knows the shape of its rows; written with Kysely's `sql` tag. */
export type Statement<Row = unknown> = RawBuilder<Row>

/** A statement as libraries write it. */
export interface Text {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
}

export interface TransactionSettings {
  /** The role that every statement runs under; null keeps the login's own. */
  readonly role: string | null
  readonly statementTimeoutMs: number
  /**
   * Plans a statement once, for whatever values. Left to itself, PostgreSQL compares the plan for any values with what
   * the first plans of a connection cost, and when those were made for tables that were nearly empty it plans anew
   * hundreds of times: an eighth of a booking's time in the database.
   */
  readonly planOnce: boolean
}

/**
 * The first statement of each transaction, whose only value is the organization. Everything that a statement depends on
 * is set here and for this transaction only: a pooler in between drops what a session was started with, and gives the
 * next transaction another session. All of it in one statement costs a transaction some 5 µs of the database.
 */
export function openingOf({ role, statementTimeoutMs, planOnce }: TransactionSettings): string {
  const settings = {
    ...(role !== null && { role }),
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(statementTimeoutMs, 5_000),
    // A session whose client has died unheard must not keep its locks for long.
    idle_in_transaction_session_timeout: Math.min(statementTimeoutMs, 15_000),
    ...(planOnce && { plan_cache_mode: 'force_generic_plan' }),
  }
  const rest = Object.entries(settings).map(([name, value]) => `, set_config('${name}', '${value}', true)`)
  return `select set_config('app.org_id', $1, true)${rest.join('')}`
}

/** Builds statements; never runs one. */
const builder = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** As it is sent. */
export function compiled(statement: Statement): Text {
  const { sql, parameters } = statement.compile(builder)
  return { text: sql, values: parameters }
}
