export interface SetupOptions {
  /** The role that every statement runs as; null keeps the login role. */
  readonly role: string | null
  readonly statementTimeoutMs: number
  /** Shorter than the statement, so that a wait for a lock ends as a conflict and not as a slow database. */
  readonly lockTimeoutMs: number
  /**
   * Plans each statement once, for any values. By default PostgreSQL compares the estimated cost of a plan for any values
   * with that of plans for the given ones. Where the first looks dearer, as for each list with a limit, it plans every call
   * again: two thirds of the time of a list, and more than half of that of a page of the calendar.
   */
  readonly useGenericPlans: boolean
  readonly avoidedPlans: readonly AvoidedPlan[]
}

/** The kinds of plans that can be avoided: they read a whole table, read rows in no order, or sort them. */
export type AvoidedPlan = 'seqscan' | 'bitmapscan' | 'sort'

/**
 * Every statement of the product finds its rows by an index. A plan that was made while a table was nearly empty reads all
 * of it instead, and the connection of a worker keeps such a plan: 106 million rows of jobs were read in one run.
 */
const avoid = (plans: readonly AvoidedPlan[]): Record<string, string> =>
  Object.fromEntries(plans.map((plan) => [`enable_${plan}`, 'off']))

/** A plan for any limit expects a tenth of the rows, and would start processes, 10 to 20 ms, for a page. */
const genericPlans = { plan_cache_mode: 'force_generic_plan', max_parallel_workers_per_gather: '0' }

/**
 * The first statement of each transaction; its values are the organization and who acts. All settings are local to the
 * transaction, because a pooler drops startup parameters and gives the next transaction another session. Setting all of
 * them in one statement costs the database about 5 µs per transaction.
 */
export function buildSetupStatement(options: SetupOptions): string {
  const { role, statementTimeoutMs, lockTimeoutMs, useGenericPlans, avoidedPlans } = options
  const settings = {
    ...(role !== null && { role }),
    ...avoid(avoidedPlans),
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    // A session whose client has disappeared must not keep its locks for long.
    idle_in_transaction_session_timeout: Math.min(statementTimeoutMs, 15_000),
    // A search reads all that the indexes of texts have not merged yet, up to 4 MB by default. A limit of the index itself
    // would lock it, and all writes behind it.
    gin_pending_list_limit: '64kB',
    // PostgreSQL would compile what it takes for expensive, again for each call: before PostgreSQL 18 that is everything which
    // uses an avoided plan, such as each search, for a second. No statement here runs as long as that.
    jit: 'off',
    ...(useGenericPlans && genericPlans),
  }
  const rest = Object.entries(settings).map(([name, value]) => `, set_config('${name}', '${value}', true)`)
  const entry = entryOf(options)
  return `select set_config('app.org_id', $1, true), set_config('app.actor', $2, true)${rest.join('')}${entry}`
}

/**
 * Requests and jobs change no organization that is frozen, and do nothing in one that another cell serves. The role that
 * imports writes into an organization that has not arrived.
 */
const entryOf = ({ role }: SetupOptions): string =>
  role === 'vacancy_app'
    ? `, (select enter_organization(org_id) from organizations_in_move where org_id = nullif($1, '')::uuid)`
    : ''
