import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { sql, type Statement } from '#db/sql.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { expectStatus } from '#test/expect.ts'
import { addUnit } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'
import { groupBookings } from './queries.ts'

interface Stay {
  arrival: number
  nights: number
  rooms: number
  cents: number
  currency: string
  status: string
  source: string
}

const begin = nightOf('2030-03-20')
const stays = fc.array(
  fc.record<Stay>({
    arrival: fc.integer({ min: 0, max: 60 }),
    nights: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 10, max: 90 })),
    rooms: fc.integer({ min: 1, max: 3 }),
    cents: fc.integer({ min: 0, max: 100_000 }),
    currency: fc.constantFrom('eur', 'eur', 'jpy'),
    status: fc.constantFrom(
      'confirmed',
      'checked_in',
      'checked_out',
      'no_show',
      'cancelled',
      'pending',
      'expired',
    ),
    source: fc.constantFrom('direct', 'pms', 'api'),
  }),
  { maxLength: 40 },
)
const sold = new Set(['confirmed', 'checked_in', 'checked_out', 'no_show'])

/** Computes the figures night by night from their definition. */
function expected(all: readonly Stay[], from: number, to: number) {
  const nights: { date: string; nights: number; revenue_cents: number }[] = []
  for (let night = from; night <= to; night++) {
    const there = all.filter(
      (one) =>
        sold.has(one.status) && begin + one.arrival <= night && night < begin + one.arrival + one.nights,
    )
    const part = (one: Stay) =>
      Math.floor(one.cents / one.nights) + (begin + one.arrival === night ? one.cents % one.nights : 0)
    nights.push({
      date: dateOf(night),
      nights: there.reduce((sum, one) => sum + one.rooms, 0),
      revenue_cents: there
        .filter(({ currency }) => currency === 'eur')
        .reduce((sum, one) => sum + part(one), 0),
    })
  }
  return nights
}

async function withOwner<T>({ databaseUrl }: World, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: databaseUrl })
  await owner.connect()
  try {
    // Rows as they may stand there, whether or not they fit into the rooms.
    await owner.query('set session_replication_role = replica')
    return await work(owner)
  } finally {
    await owner.end()
  }
}

const insert = `insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents,
    currency, status, source, rooms)
  select u.org_id, u.account_id, u.id, 'Guest', daterange(day, day + nights), day + time '15:00',
    day + nights + time '11:00', cents, s.currency, s.status, source, rooms
  from units u, json_to_recordset($2)
    as s (day date, nights int, rooms int, cents bigint, currency text, status text, source text)
  where u.id = $1`

suite('analytics compared with a count of all stays', () => {
  test('equal a count night by night, for any stays and period', async () => {
    await using world = await openWorld()
    const caller = await world.home.as('owner')
    const unit = await addUnit(caller, { quantity: 40 })
    await withOwner(world, (owner) =>
      fc.assert(
        fc.asyncProperty(
          stays,
          fc.integer({ min: 0, max: 60 }),
          fc.integer({ min: 1, max: 60 }),
          async (all, at, length) => {
            await owner.query('truncate bookings cascade')
            const rows = all.map((one) => ({ ...one, day: dateOf(begin + one.arrival) }))
            await owner.query(insert, [unit.id, JSON.stringify(rows)])
            const [from, to] = [begin + at, begin + at + length - 1]
            const reply = await caller.get(`/api/v1/admin/analytics?from=${dateOf(from)}&to=${dateOf(to)}`)
            const { bookings, by_day, by_channel, revenue } = expectStatus(reply, 200).analytics
            const days = by_day.map(({ date, nights, revenue_cents }: Record<string, unknown>) => ({
              date,
              nights,
              revenue_cents,
            }))
            const model = expected(all, from, to)
            assert.deepEqual(days, model)
            const sum = (list: object[], member: string) =>
              list.reduce((total, one) => total + (one as Record<string, number>)[member]!, 0)
            assert.equal(bookings.revenue_cents, sum(model, 'revenue_cents'))
            for (const parts of [model, by_channel, revenue])
              assert.equal(sum(parts, 'nights'), bookings.nights)
            assert.equal(sum(by_channel, 'revenue_cents'), bookings.revenue_cents)
          },
        ),
        { numRuns: 50 },
      ),
    )
  })

  test('a month among many years is read from the index only', async () => {
    await using world = await openWorld()
    const unit = await addUnit(await world.home.as('owner'))
    await withOwner(world, async (owner) => {
      const rows = Array.from({ length: 15_000 }, (_, n) => ({
        ...{ day: dateOf(begin + (n % 1_500)), nights: n % 200 === 0 ? 30 : 1 + (n % 7) },
        ...{ rooms: 1, cents: 10_000, currency: 'eur', status: 'confirmed', source: 'direct' },
      }))
      await owner.query(insert, [unit.id, JSON.stringify(rows)])
      await owner.query('vacuum analyze bookings')
    })
    const { database } = world.resources
    const actor = { type: 'system', id: 'test', name: 'Test' } as const
    const scope: Scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
    const explained = await atomically(scope, async (transaction) => {
      const run = <Row>(statement: Statement<Row>) =>
        transaction.connection.run(sql<Row>`explain (analyze, format json) ${statement}`)
      const period = { from: '2032-06-01', to: '2032-06-30' }
      return await groupBookings(
        { ...transaction, connection: { ...transaction.connection, run } },
        period,
        {},
      )
    })
    const plan = JSON.stringify(explained)
    assert.doesNotMatch(plan, /"Seq Scan","Parallel Aware":[a-z]+,"Async Capable":[a-z]+,[^{}]*"bookings"/)
    const scans = [...plan.matchAll(/"Node Type":"([\w ]+)"[^{}]*?"Relation Name":"bookings"/g)].map(
      ([, type]) => type,
    )
    assert.deepEqual(scans, ['Index Only Scan', 'Index Only Scan'])
    assert.match(plan, /"Index Cond":"[^"]*is_long[^"]*departure > [^"]*departure <= /)
  })
})
