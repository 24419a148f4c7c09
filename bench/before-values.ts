// What does it cost that a change of 20,000 nights keeps the values that it replaces?
import { randomUUID } from 'node:crypto'
import { sql } from '../server/src/db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '../server/src/db/scope.ts'
import {
  changedNights,
  eachTerm,
  nightValues,
  termColumns,
  type Terms,
  type CalendarUnit,
} from '../server/src/features/inventory/calendar/queries.ts'
import type { Layer } from '../server/src/features/inventory/calendar/layers.ts'
import { writeNights } from '../server/src/features/inventory/calendar/write-queries.ts'
import { openWorld } from '../server/test/world.ts'
import { addUnit } from '../server/test/records.ts'
import { openBenchPostgres } from './bench-postgres.ts'
import { compareVariants } from './side-by-side.ts'

const unitCount = 50
const nightCount = 400

await using parts = new AsyncDisposableStack()
await openBenchPostgres(parts, { isDurable: true })
const world = parts.use(await openWorld())
const caller = await world.home.as('owner')
const actor = { type: 'system', id: 'bench', name: 'Bench' } as const
const { id: orgId, accountId } = world.home
const scope: Scope = { orgId, accountId, actor, traceparent: null, database: world.resources.database }

type Write = (transaction: Transaction, layers: Layer<Terms>[], units: Units) => Promise<unknown>

const nights = Array.from({ length: nightCount }, (_, at) => 21_915 + at)

/** A variant writes its own units, another price at each call, so that every night changes. */
async function equalNights(write: Write) {
  const { plans, byId } = await addUnits()
  let calls = 0
  return () => {
    const price_cents = 10_000 + (calls++ % 2)
    const layers = plans.map((key) => ({ key, nights, terms: { price_cents } }))
    return atomically(scope, (transaction) => write(transaction, layers, byId))
  }
}

/** No two nights of a unit have the same price, so that each is an entry of its own. */
async function unequalNights(write: Write) {
  const { plans, byId } = await addUnits()
  const prices = plans.flatMap((key) =>
    nights.map((night, at) => ({ key, nights: [night], terms: { price_cents: 10_000 + 10 * at } })),
  )
  await atomically(scope, (transaction) => write(transaction, prices, byId))
  let calls = 0
  return () => {
    const derivation = { price_delta_cents: calls++ % 2 ? -1 : 1, value_at: 0 }
    const layers = plans.map((key) => ({
      key,
      nights,
      terms: { price_cents: 0, derivation },
    }))
    return atomically(scope, (transaction) => write(transaction, layers, byId))
  }
}

type Units = ReadonlyMap<string, CalendarUnit>

async function addUnits() {
  const ids: string[] = []
  for (let nth = 0; nth < unitCount; nth++) ids.push((await addUnit(caller)).id)
  const found = await rows(
    scope,
    sql<{
      unit_id: string
      id: string
    }>`select unit_id, id from rate_plans where unit_id = any(${ids}::uuid[])`,
  )
  const byId = new Map(
    ids.map((id) => [id, { base_price_cents: 9_000, min_price_cents: null } as CalendarUnit]),
  )
  return { byId, plans: found.map(({ unit_id, id }) => `${unit_id} ${id}`) }
}

/** The statement of the product without the part that keeps what is replaced. */
const writeOnly: Write = (transaction, layers, units) =>
  rows(
    transaction,
    sql`
      with
        ${changedNights(orgId, nightValues(layers, units))},
        written as (
          insert into calendar_nights (org_id, unit_id, rate_plan_id, night, ${termColumns()})
          select ${orgId}, unit_id, rate_plan_id, night, ${termColumns()}
          from changed
          on conflict (org_id, unit_id, rate_plan_id, night) do update
            set ${eachTerm((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)}
        )
      select count(*) from changed`,
  )

const writeAndKeep: Write = (transaction, layers, units) =>
  writeNights(transaction, randomUUID(), layers, units)

const options = { rounds: 6, turnMs: 2_000, concurrency: 1 }
for (const [name, variant] of Object.entries({ equalNights, unequalNights })) {
  console.log(`\n${name}\n`)
  const variants = {
    'without the replaced values': await variant(writeOnly),
    'with them (the product)': await variant(writeAndKeep),
  }
  await compareVariants(variants, options)
}
