import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import type { Database } from '#db/connect.ts'
import type { SqlText, Statement } from '#db/sql.ts'
import {
  claimJobs,
  deleteJobs,
  releaseAbandonedJobs,
  releaseJobs,
  retryJobs,
  sendHeartbeats,
} from '#queue/queries.ts'
import { periodicTasks } from '#workers.ts'
import { collections, openTwoOrganizations, type TwoOrganizations } from './attacks/two-organizations.ts'
import { expectStatus } from './expect.ts'
import { filterValuesOf, queryUrl } from './operations.ts'
import { atProvider } from './payments.ts'
import { unknownId } from './records.ts'
import { statementsOf } from './sent-statements.ts'

/**
 * Every list with each of its filters, the search and every periodic task find their rows by an index. PostgreSQL plans
 * each statement here as if it should not read a whole table; where it still does, no index leads to the rows. The
 * statements of functions are planned, too: `auto_explain` sends the plan of each as a notice.
 */

let organizations: TwoOrganizations
let explainer: pg.Client
let plans: Plan[] = []
/** The indexes of some of the rows of a table: reading all of such an index is no reading of the table. */
let partialIndexes: ReadonlySet<string>

before(async () => {
  organizations = await openTwoOrganizations()
  explainer = new pg.Client({ connectionString: organizations.world.databaseUrl })
  await explainer.connect()
  await disputePayments()
  explainer.on('notice', ({ message = '' }) => {
    const [, plan] = /^duration: [^\n]*plan:\n(\{.*\})$/s.exec(message) ?? []
    if (plan) plans.push((JSON.parse(plan) as { Plan: Plan }).Plan)
  })
  await explainer.query(`load 'auto_explain'`)
  await forgetStatistics()
  const { rows } = await explainer.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index where indpred is not null`,
  )
  partialIndexes = new Set(rows.map(({ name }) => name))
})
after(async () => {
  await explainer.end()
  await organizations[Symbol.asyncDispose]()
})

suite('no sequential scan', () => {
  for (const { path, queryParameters } of collections)
    test(path, async () => {
      const { there, world } = organizations
      const statements = await statementsOf(world.resources.database, async () => {
        expectStatus(await there.get(queryUrl(path)), 200)
        for (const { name, schema } of queryParameters)
          for (const value of filterValuesOf(name, schema))
            await there.get(queryUrl(path, `${name}=${encodeURIComponent(value)}`))
      })
      await assertIndexed(statements, 'vacancy_app', world.away.id)
    })

  test('the lookup of a caller', async () => {
    const { world } = organizations
    const statements = await statementsOf(world.resources.database, async () => {
      const caller = await world.away.as('owner')
      expectStatus(await caller.get('/api/v1/members'), 200)
    })
    assert.ok(statements.some(({ text }) => text.includes('find_memberships')))
    await assertIndexed(statements, 'vacancy_app', world.away.id)
  })

  test('the search', async () => {
    const { there, world } = organizations
    const statements = await statementsOf(world.resources.database, async () => {
      for (const query of ['river', 'ri', 'ana costa'])
        expectStatus(await there.get(`/api/v1/search?q=${encodeURIComponent(query)}`), 200)
    })
    await assertIndexed(statements, 'vacancy_app', world.away.id)
  })

  for (const { name } of periodicTasks({ config: { retention: {} } } as never))
    test(`the periodic task ${name}`, async () => {
      const { resources } = organizations.world
      const task = periodicTasks(resources).find((one) => one.name === name)!
      const statements = await statementsOf(resources.database, () =>
        task.run({ database: resources.database }, new AbortController().signal),
      )
      assert.ok(statements.length > 0)
      await assertIndexed(statements, 'vacancy_app', '')
    })

  test('the queue', async () => {
    const sent: SqlText[] = []
    const database = {
      pipelined: async (_context: object, statements: readonly Statement[]) => {
        sent.push(...statements)
        return statements.map(() => [])
      },
    } as unknown as Database
    const allowance = { batchSize: 10, fullOrgs: [unknownId], busyResources: ['a'], slowResources: ['b'] }
    const job = { id: unknownId, attempts: 1, org_id: null, resource: null, data: {} as never }
    await claimJobs(database, 'sync', allowance)
    for (const change of [deleteJobs, retryJobs, releaseJobs, sendHeartbeats]) await change(database, [job])
    await releaseAbandonedJobs(database)
    await assertIndexed(sent, 'vacancy_queue', '')
  })
})

/** So that the task that looks for disputes finds some, which it has nothing to do about. */
async function disputePayments(): Promise<void> {
  const { world } = organizations
  const { payment_intents } = await atProvider(world, 'GET', 'ledger')
  for (const { id, status } of payment_intents)
    if (status === 'succeeded') await atProvider(world, 'POST', 'disputes', { payment_intent: id })
  await explainer.query(`update payment_intents set seen_at = now() + interval '1 hour'`)
}

/**
 * As if no table had been analyzed: PostgreSQL then assumes ten pages. Reading all of a table that is known to have three
 * rows costs less than any index, and when autovacuum comes to know it differs from run to run.
 */
async function forgetStatistics(): Promise<void> {
  const { rows } = await explainer.query<{ name: string }>(
    `select oid::regclass::text as name
    from pg_class
    where relkind = 'r' and relnamespace in ('public'::regnamespace, 'queue'::regnamespace)`,
  )
  for (const { name } of rows) await explainer.query(`alter table ${name} set (autovacuum_enabled = off)`)
  const names = rows.map(({ name }) => name)
  await explainer.query('update pg_class set relpages = 0, reltuples = -1 where oid = any ($1::regclass[])', [
    names,
  ])
  await explainer.query('delete from pg_statistic where starelid = any ($1::regclass[])', [names])
}

/** Tables with one row for each organization, connection or partitioned table, which a task compares one by one. */
const small = /^(organizations|organization_moves|channel_targets|partitioned_tables)(_|$)/

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

async function assertIndexed(
  statements: readonly SqlText[],
  role: 'vacancy_app' | 'vacancy_queue',
  orgId: string,
): Promise<void> {
  const found = new Set<string>()
  const distinct = new Map(statements.map((statement) => [statement.text, statement]))
  for (const { text, values = [] } of distinct.values()) {
    plans = []
    await explainer.query('begin')
    await explainer.query(
      `select set_config(name, value, true)
      from (values ('auto_explain.log_min_duration', '0'), ('auto_explain.log_nested_statements', 'on'),
        ('auto_explain.log_format', 'json'), ('auto_explain.log_level', 'notice'),
        ('plan_cache_mode', 'force_generic_plan'), ('enable_seqscan', 'off'), ('jit', 'off'),
        ('app.org_id', $1), ('role', $2)) setting (name, value)`,
      [orgId, role],
    )
    // A record of the test may be gone by now; its plan is known all the same.
    await explainer.query(text, [...values]).catch(() => {})
    await explainer.query('rollback')
    if (!/^\s*(select pg_notify|set|begin)/.test(text))
      assert.ok(plans.length > 0, `There is no plan of ${text}`)
    for (const plan of plans) for (const fault of faultsOf(plan)) found.add(`${fault}\n${text}`)
  }
  assert.deepEqual([...found], [])
}

function faultsOf(node: Plan): string[] {
  const index = node['Index Name']
  const readsAllOf =
    node['Node Type'] === 'Seq Scan'
      ? node['Relation Name']
      : index !== undefined && node['Index Cond'] === undefined && !partialIndexes.has(index)
        ? index
        : undefined
  return [
    ...(readsAllOf === undefined || small.test(readsAllOf) ? [] : [`reads all of ${readsAllOf}`]),
    ...(node.Plans ?? []).flatMap(faultsOf),
  ]
}
