import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { RawBuilder } from 'kysely'

/** A statement that knows the shape of its rows; written with Kysely's `sql` tag. */
export type Statement<Row = unknown> = RawBuilder<Row>

/** A statement as libraries write it. */
export interface Text {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
}

const setOrg = "select set_config('app.org_id', $1, true)"

/**
 * How a transaction is opened. One that writes says the same few things, by ids. Left to itself, PostgreSQL compares the
 * plan for any values with what the first plans of a connection cost, and when those were made for tables that were nearly
 * empty it plans anew hundreds of times: an eighth of a booking's time in the database.
 */
export const opening = {
  'set-org': setOrg,
  'set-org-and-plan-once': `${setOrg}, set_config('plan_cache_mode', 'force_generic_plan', true)`,
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
