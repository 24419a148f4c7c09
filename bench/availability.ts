// availability: what does a page of the search cost in an organization of 1,000 units, and of 100,000?
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase, type Database } from '../server/src/db/connect.ts'
import type { Scope } from '../server/src/db/scope.ts'
import { searchAvailability } from '../server/src/features/availability/search.ts'
import { startPostgres } from '../server/src/start/postgres.ts'
import { bringUpToDate } from '../server/src/up-to-date.ts'
import { stockOrganization, weeks } from './availability-stock.ts'
import { load, quantile } from './house.ts'

const sizes = [1_000, 10_000, 100_000]
const limit = 50

const home = mkdtempSync(join(tmpdir(), 'vacancy-bench-'))
const credentials = { user: 'vacancy', password: 'bench', database: 'vacancy' }
const postgres = await startPostgres({ home, credentials, isDurable: false })
try {
  await bringUpToDate(postgres.url)
  const owner = open(null)
  const database = open('vacancy_app')
  const scopes: Record<number, Scope> = {}
  for (const size of sizes) {
    const begun = performance.now()
    scopes[size] = scopeOf(database, await stockOrganization(owner, size))
    console.log(`${size} units were stocked in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
  }
  await owner.pipelined({ orgId: null }, [sql`analyze`])
  await measure(scopes)
  await explain(scopes[sizes.at(-1)!]!)
  await Promise.all([owner.close(), database.close()])
} finally {
  await postgres.stop()
  rmSync(postgres.dataDir, { recursive: true, force: true })
  rmSync(home, { recursive: true, force: true })
}

interface Asked {
  readonly from: string
  readonly to: string
  readonly place?: string
}

/** Every page of a search; a cursor is only the place behind it. */
async function pagesOf(scope: Scope, asked: Asked, most = 40) {
  const milliseconds: number[] = []
  let after = null
  let shown = 0
  do {
    const begun = performance.now()
    const page = {
      limit,
      sort: 'created_at',
      after,
      cursorAt: (value: string, id: string) => JSON.stringify({ value, id }),
    }
    const { offers, next } = await searchAvailability(scope, asked, page)
    milliseconds.push(performance.now() - begun)
    shown += offers.length
    after = next === null ? null : (JSON.parse(next) as { value: string; id: string })
  } while (after && milliseconds.length < most)
  return { milliseconds, shown }
}

async function measure(scopes: Record<number, Scope>) {
  const median = (values: number[]) => quantile(values, 0.5)
  for (const { from, to, free } of weeks) {
    const taken: Record<number, number[]> = {}
    // In turns, so that a busy machine slows them alike.
    for (let round = 0; round < 4; round++)
      for (const size of sizes) {
        const { milliseconds, shown } = await pagesOf(scopes[size]!, { from, to })
        const expected = Math.min(free, size)
        if (expected <= 40 * limit) assert.equal(shown, expected)
        if (round > 0) (taken[size] ??= []).push(...milliseconds)
      }
    for (const size of sizes)
      console.log(
        `${String(Math.min(free, size)).padStart(6)} free of ${String(size).padStart(6)}: ${String(taken[size]!.length / 3).padStart(2)} pages, each ${median(taken[size]!).toFixed(1)} ms (slowest ${Math.max(...taken[size]!).toFixed(1)}), ${load()}`,
      )
    console.log(
      `   100,000 units against 1,000: ${(median(taken[100_000]!) / median(taken[1_000]!)).toFixed(2)}`,
    )
  }
  for (const size of sizes) {
    const { from, to } = weeks[3]
    const { milliseconds, shown } = await pagesOf(scopes[size]!, { from, to, place: 'city 7' })
    console.log(`a place, ${shown} free of ${size}: each page ${median(milliseconds).toFixed(1)} ms`)
  }
}

/** The plans of every statement of a page, as the API runs them. */
async function explain(scope: Scope) {
  const plans = new Map<string, string>()
  const explaining: Database = {
    ...scope.database,
    async pipelined(settings, statements) {
      for (const statement of statements) {
        const [lines] = await scope.database.pipelined(settings, [
          sql`explain (analyze, costs off) ${statement}`,
        ])
        const plan = lines!.map((line) => (line as Record<string, string>)['QUERY PLAN']).join('\n')
        plans.set(plan.replace(/[\d.]+/g, ''), plan)
      }
      return await scope.database.pipelined(settings, statements)
    },
  }
  for (const { from, to } of weeks) await pagesOf({ ...scope, database: explaining }, { from, to }, 1)
  for (const plan of plans.values()) console.log(`\n${plan}`)
  const scans = [...plans.values()].flatMap((plan) => plan.match(/Seq Scan on \w+/g) ?? [])
  console.log(`\nsequential scans: ${scans.length === 0 ? 'none' : scans.join(', ')}`)
}

function scopeOf(database: Database, orgId: string): Scope {
  const actor = { type: 'system', id: 'bench', name: 'Bench' } as const
  const outbox = { put: () => Promise.resolve(), waiting: () => Promise.resolve(undefined) }
  return { orgId, accountId: null, actor, traceparent: null, database, outbox }
}

function open(role: string | null): Database {
  return openDatabase({
    ...{ url: postgres.url, poolSize: 2, role, prepare: true, applicationName: 'vacancy bench' },
    statementTimeoutMs: role ? 10_000 : 600_000,
    onError: () => {},
  })
}
