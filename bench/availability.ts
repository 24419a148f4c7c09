// availability: how long does a page of the search take with 1,000 units, and with 100,000?
import assert from 'node:assert/strict'
import { sql } from '../server/src/db/sql.ts'
import { openDatabase, type Database } from '../server/src/db/connect.ts'
import type { Scope } from '../server/src/db/scope.ts'
import { searchAvailability } from '../server/src/features/reservations/availability/search.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { addBenchOrganization, weeks } from './availability-stock.ts'
import { openBenchPostgres } from './bench-postgres.ts'
import { loadAverage, quantile } from './bench-world.ts'

const sizes = [1_000, 10_000, 100_000]
const limit = 50

await using parts = new AsyncDisposableStack()
const postgres = await openBenchPostgres(parts, { isDurable: false })
await migrate(postgres.url)
const owner = open(null)
const database = open('vacancy_app')
const scopes: Record<number, Scope> = {}
for (const size of sizes) {
  const startedAt = performance.now()
  scopes[size] = scopeOf(database, await addBenchOrganization(owner, size))
  console.log(`${size} units were added in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
}
await owner.pipelined({ orgId: null }, [sql`analyze`])
await measure(scopes)
await explain(scopes[sizes.at(-1)!]!)
await Promise.all([owner.close(), database.close()])

interface Search {
  readonly from: string
  readonly to: string
  readonly place?: string
}

/** Reads the pages of a search. */
async function readPages(scope: Scope, search: Search, maxPages = 40) {
  const milliseconds: number[] = []
  let after = null
  let shown = 0
  do {
    const startedAt = performance.now()
    const page = {
      limit,
      sort: 'created_at',
      after,
      cursorAt: (value: string, id: string) => JSON.stringify({ value, id }),
    }
    const { offers, next } = await searchAvailability(scope, search, page)
    milliseconds.push(performance.now() - startedAt)
    shown += offers.length
    after = next === null ? null : (JSON.parse(next) as { value: string; id: string })
  } while (after && milliseconds.length < maxPages)
  return { milliseconds, shown }
}

async function measure(scopes: Record<number, Scope>) {
  const median = (values: number[]) => quantile(values, 0.5)
  for (const { from, to, free } of weeks) {
    const timesMs: Record<number, number[]> = {}
    // In turns, so that other load of the machine affects all sizes.
    for (let round = 0; round < 4; round++)
      for (const size of sizes) {
        const { milliseconds, shown } = await readPages(scopes[size]!, { from, to })
        const expected = Math.min(free, size)
        if (expected <= 40 * limit) assert.equal(shown, expected)
        if (round > 0) (timesMs[size] ??= []).push(...milliseconds)
      }
    for (const size of sizes)
      console.log(
        `${String(Math.min(free, size)).padStart(6)} free of ${String(size).padStart(6)}: ${String(timesMs[size]!.length / 3).padStart(2)} pages, each ${median(timesMs[size]!).toFixed(1)} ms (slowest ${Math.max(...timesMs[size]!).toFixed(1)}), ${loadAverage()}`,
      )
    console.log(
      `   100,000 units against 1,000: ${(median(timesMs[100_000]!) / median(timesMs[1_000]!)).toFixed(2)}`,
    )
  }
  for (const size of sizes) {
    const { from, to } = weeks[3]
    const { milliseconds, shown } = await readPages(scopes[size]!, { from, to, place: 'city 7' })
    console.log(`a place, ${shown} free of ${size}: each page ${median(milliseconds).toFixed(1)} ms`)
  }
}

/** Prints the query plan of each statement of a page. */
async function explain(scope: Scope) {
  const plans = new Map<string, string>()
  const explainingDatabase: Database = {
    ...scope.database,
    async pipelined(settings, statements) {
      for (const statement of statements) {
        const [lines] = await scope.database.pipelined(settings, [
          sql`explain (analyze, costs off) ${statement}`,
        ])
        const plan = lines.map((line) => (line as Record<string, string>)['QUERY PLAN']).join('\n')
        plans.set(plan.replace(/[\d.]+/g, ''), plan)
      }
      return await scope.database.pipelined(settings, statements)
    },
  }
  for (const { from, to } of weeks)
    await readPages({ ...scope, database: explainingDatabase }, { from, to }, 1)
  for (const plan of plans.values()) console.log(`\n${plan}`)
  const scans = [...plans.values()].flatMap((plan) => plan.match(/Seq Scan on \w+/g) ?? [])
  console.log(`\nsequential scans: ${scans.length === 0 ? 'none' : scans.join(', ')}`)
}

function scopeOf(database: Database, orgId: string): Scope {
  const actor = { type: 'system', id: 'bench', name: 'Bench' } as const
  return { orgId, accountId: null, actor, traceparent: null, database }
}

function open(role: string | null): Database {
  return openDatabase({
    ...{ url: postgres.url, poolSize: 2, role, prepare: true, applicationName: 'vacancy bench' },
    statementTimeoutMs: role ? 10_000 : 600_000,
    onError: () => {},
  })
}
