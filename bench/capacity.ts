// How large are the rows, and what do a million units, 50,000 organizations and a hundred million nights add up to?
import { sql } from '../server/src/db/sql.ts'
import pMap from 'p-map'
import { expectStatus } from '../server/test/expect.ts'
import { addRecords } from './ceiling-operations.ts'
import { loadAverage, withBenchWorld } from './bench-world.ts'

const priceChanges = 1_000
const nightsEach = 100
const pricedUnits = 2_000
const bookings = 1_000
const parts = 20

/** What is asked of the installation, and what its operators do. */
const target = {
  organizations: 50_000,
  units: 1_000_000,
  nights: 100_000_000,
  /** Units that are linked to one PMS. */
  listings: 1_000_000,
  bookingsPerUnitAndYear: 30,
  yearsOfBookings: 2,
  changesPerUnitAndDay: 2,
  /** The share of a day's changes in its busiest hour. */
  busiestHour: 0.15,
  /** Events are kept for 90 days, and until their month is over. */
  daysOfEvents: 105,
  /** The history of pushes and the audit are kept for good. */
  daysOfHistory: 365,
  nightsPerCall: 50,
}

interface Size {
  name: string
  rows: number
  bytes: number
}

await withBenchWorld(async (bench) => {
  const { world, owner, operator } = bench
  const orgId = world.home.id
  await bench.startWorker({ queues: ['sync'] })
  const { linked } = await addRecords(bench)
  // In parts, because a statement has a limit of time.
  for (let at = 0; at < parts; at++) {
    const [plans, stays] = [pricedUnits / parts, bookings / parts]
    await owner.pipelined({ orgId }, [
      sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents, min_stay_arrival)
        select plan.org_id, plan.unit_id, plan.id, date '2030-01-01' + day, 9000 + day, case when day % 7 = 5 then 2 end
        from (
          select * from rate_plans where org_id = ${orgId} order by id offset ${at * plans}::int limit ${plans}::int
        ) plan, generate_series(1, ${nightsEach}::int) day`,
    ])
    await owner.pipelined({ orgId }, [
      sql`insert into bookings (org_id, account_id, unit_id, guest_name, guest_email, nights, check_in, check_out, total_cents, currency)
        select org_id, account_id, id, 'Sofia Almeida', 'sofia.almeida@guest.example', daterange('2030-05-01', '2030-05-04'),
          '2030-05-01 15:00Z', '2030-05-04 10:00Z', 36000, 'eur'
        from units where org_id = ${orgId} order by id offset ${at * stays}::int limit ${stays}::int`,
    ])
  }
  await pMap(
    Array.from({ length: priceChanges }, (_, at) => ({ at, ...linked[at % linked.length]! })),
    async ({ at, unitId }) =>
      expectStatus(await operator.patch(`/api/v1/units/${unitId}`, { base_price_cents: 10_000 + at }), 200),
    { concurrency: 4 },
  )
  await bench.settled()
  await bench.query(sql`analyze`)
  const sizes = await bench.query(
    sql<Size>`
      select root.relname as name, sum(part.reltuples)::float8 as rows,
        sum(pg_total_relation_size(part.oid))::float8 as bytes
      from pg_class root
      join pg_class part
        on part.oid = root.oid
        or part.oid in (select inhrelid from pg_inherits where inhparent = root.oid)
      where root.relnamespace = 'public'::regnamespace
        and root.relkind in ('r', 'p')
        and not root.relispartition
        and part.relkind = 'r'
        and part.reltuples > 0
      group by root.relname
      having sum(part.reltuples) >= 200
      order by root.relname`,
  )
  const bytesOf = Object.fromEntries(sizes.map(({ name, rows, bytes }) => [name, bytes / rows]))
  console.log('| table | rows measured | bytes of a row with its indexes |\n|---|--:|--:|')
  for (const { name, rows } of sizes) console.log(`| ${name} | ${rows} | ${Math.round(bytesOf[name]!)} |`)

  const changesPerDay = target.units * target.changesPerUnitAndDay
  const perSecond = (perDay: number) => (perDay * target.busiestHour) / 3_600
  const rows: Record<string, number> = {
    spaces: target.units / 20,
    units: target.units,
    rate_plans: target.units,
    calendar_nights: target.nights,
    bookings: target.units * target.bookingsPerUnitAndYear * target.yearsOfBookings,
    events: target.daysOfEvents * (changesPerDay + (target.units * target.bookingsPerUnitAndYear * 3) / 365),
    sync_audit: target.daysOfHistory * changesPerDay,
    audit_entries: target.daysOfHistory * changesPerDay,
  }
  console.log('\n| table | rows | GB |\n|---|--:|--:|')
  let total = 0
  for (const [name, count] of Object.entries(rows)) {
    const gigabytes = (count * (bytesOf[name] ?? NaN)) / 1e9
    total += gigabytes
    console.log(`| ${name} | ${Math.round(count).toLocaleString('en')} | ${gigabytes.toFixed(0)} |`)
  }
  console.log(`| all of these | | ${total.toFixed(0)} |`)
  console.log(`
${target.units.toLocaleString('en')} units of ${target.organizations.toLocaleString('en')} organizations, in the busiest hour of a day:
- ${perSecond(changesPerDay).toFixed(0)} changes, and as many pushes, a second
- ${perSecond(changesPerDay).toFixed(0)} calls of PMSs a second if each changes one unit, ${perSecond(changesPerDay / target.nightsPerCall).toFixed(1)} if ${target.nightsPerCall} travel in a call
- ${perSecond((target.units * target.bookingsPerUnitAndYear) / 365).toFixed(1)} bookings a second
${loadAverage()}`)
})
