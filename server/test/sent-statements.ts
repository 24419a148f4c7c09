import assert from 'node:assert/strict'
import pg from 'pg'
import type { Database } from '#db/connect.ts'
import type { SqlText } from '#db/sql.ts'
import type { World } from './world.ts'

/** The statements that are sent meanwhile. */
export async function statementsOf(database: Database, work: () => Promise<unknown>): Promise<SqlText[]> {
  const sent: SqlText[] = []
  const { pipelined, transaction } = database
  database.pipelined = (context, statements) => {
    sent.push(...(statements as readonly SqlText[]))
    return pipelined(context, statements)
  }
  database.transaction = (context, run) =>
    transaction(context, (connection) =>
      run({
        ...connection,
        run: (statement) => (sent.push(statement), connection.run(statement)),
        deferToCommit: (statement, whenCommitted) => (
          sent.push(statement),
          connection.deferToCommit(statement, whenCommitted)
        ),
      }),
    )
  try {
    await work()
  } finally {
    Object.assign(database, { pipelined, transaction })
  }
  return sent
}

/** The most rows that one node of the generic plan reads from a table, or of a plan inside its functions and triggers. */
export const rowsRead = async (
  world: World,
  statement: SqlText,
  { insideFunctions = false } = {},
): Promise<number> => Math.max(0, ...(await plansOf(world, statement, insideFunctions)).map(maxRows))

/** The most pages that one node of the generic plan reads from a table and its index. */
export const pagesRead = async (world: World, statement: SqlText): Promise<number> =>
  Math.max(0, ...(await plansOf(world, statement, false)).map(maxPages))

async function plansOf(
  { databaseUrl, home }: World,
  { text, values = [] }: SqlText,
  insideFunctions: boolean,
): Promise<Plan[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const plans: Plan[] = []
  client.on('notice', ({ message = '' }) => {
    const [, plan] = /^duration: [^\n]*plan:\n(\{.*\})$/s.exec(message) ?? []
    if (plan) plans.push((JSON.parse(plan) as { Plan: Plan }).Plan)
  })
  try {
    await client.query(`load 'auto_explain'`)
    await client.query('begin')
    await client.query(
      `select set_config(name, value, true)
      from (values ('auto_explain.log_min_duration', '0'), ('auto_explain.log_analyze', 'on'),
        ('auto_explain.log_format', 'json'), ('auto_explain.log_level', 'notice'),
        ('auto_explain.log_nested_statements', $2), ('auto_explain.log_buffers', 'on'),
        ('plan_cache_mode', 'force_generic_plan'), ('jit', 'off'),
        ('app.org_id', $1), ('role', 'vacancy_app')) setting (name, value)`,
      [home.id, String(insideFunctions)],
    )
    try {
      await client.query(text, [...values])
    } catch (error) {
      // A record cannot be added twice.
      if ((error as { code?: string }).code === '23505') return []
      throw error
    }
    // The plan is sent when the portal is closed.
    await client.query('rollback')
    assert.ok(plans.length > 0 || /^\s*set/.test(text), `There is no plan of ${text}`)
    return plans
  } finally {
    await client.end()
  }
}

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly Plan[]
}

function maxRows(node: Plan): number {
  const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 0, 'Rows Removed by Filter': removed = 0 } = node
  const own = 'Relation Name' in node ? (rows + removed) * loops : 0
  return Math.max(own, ...(node.Plans ?? []).map(maxRows))
}

function maxPages(node: Plan): number {
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = node
  const own = 'Relation Name' in node ? hit + read : 0
  return Math.max(own, ...(node.Plans ?? []).map(maxPages))
}
