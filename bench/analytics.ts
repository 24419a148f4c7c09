// analytics: how long do the analytics of a month and a year take with 10,000, 100,000 and a million bookings?
import pg from 'pg'
import { addSpace } from '../server/test/records.ts'
import { expectStatus } from '../server/test/expect.ts'
import { withBenchWorld, quantile, reportVerdict } from './bench-world.ts'

const sizes = [10_000, 100_000, 1_000_000]
/** Stays begin on random days of this period. */
const days = 1_095
const begin = '2029-01-01'
const periods = { month: ['2030-06-01', '2030-06-30'], year: ['2030-01-01', '2030-12-31'] } as const
const units = 100_000
const unitsPerSpace = 20
const otherOrganizations = 1_000
/** Of a month of 100,000 bookings. */
const maxMs = 50

/** Units with a listing each, in the measured organization and in small ones beside it. */
const insertUnits = [
  `insert into organizations (name, tier, settings)
    select 'Small ' || n, 'free', '{}' from generate_series(1, ${otherOrganizations}) n`,
  `insert into accounts (org_id, name) select id, name from organizations where name like 'Small %'`,
  `insert into spaces (org_id, account_id, name, timezone, currency)
    select org_id, id, name, 'UTC', 'eur' from accounts where name like 'Small %'`,
  `insert into spaces (org_id, account_id, name, timezone, currency)
    select org_id, account_id, 'Space ' || n, timezone, currency
    from spaces, generate_series(1, ${units / unitsPerSpace}) n where name not like 'Small %'`,
  `insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, quantity,
      base_price_cents, currency)
    select org_id, account_id, id, name || ' / ' || n, 'room', 1, 1, 2, 3, 10000, 'eur'
    from spaces, generate_series(1, ${unitsPerSpace}) n where name like 'S%'`,
  `insert into channel_targets (org_id, account_id, channel_type, name, config)
    select distinct on (org_id) org_id, account_id, 'pms', 'Target', '{}' from units`,
  `insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id)
    select unit.org_id, unit.account_id, target.id, unit.id, unit.id
    from units unit join channel_targets target using (org_id)`,
  `insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by, status,
      wanted_version, synced_version)
    select org_id, id, channel_target_id, unit_id, '{}', 'completed', 1, 1 from channel_listings`,
]

/** Inserted by SQL: a million bookings through the API would take an hour. */
const insertBookings = `insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out,
    total_cents, currency, status, source)
  select unit.org_id, unit.account_id, unit.id, 'Guest', daterange(stay.day, stay.day + stay.nights),
    stay.day + time '15:00', stay.day + stay.nights + time '11:00', 10000 * stay.nights + stay.n % 97, 'eur',
    case when stay.n % 9 = 0 then 'cancelled' else 'confirmed' end,
    (array['direct', 'api', 'manual'])[1 + stay.n % 3]
  from (select n, date '${begin}' + (random() * ${days})::int as day,
      case when n % 100 = 0 then 15 + (random() * 45)::int else 1 + (random() * 6)::int end as nights
    from generate_series(1, 10000) n) stay
  join (select *, row_number() over (order by random()) as number from units where org_id = $1 limit 10000) unit
    on unit.number = stay.n`

/** The simplest query: a row for each night of each stay. */
const baselineByNight = `select night, sum(rooms), sum(total_cents / (upper(nights) - lower(nights))) from bookings b,
    generate_series(greatest(lower(nights), $1::date), least(upper(nights) - 1, $2::date), interval '1 day') night
  where deleted_at is null and nights && daterange($1::date, $2::date, '[]')
    and status in ('confirmed', 'checked_in', 'checked_out', 'no_show') group by night`

/** The groups of the product with the index of lists. */
const baselineByCheckIn = `select status, lower(nights), currency, source, channel_target_id, count(*), sum(rooms), sum(total_cents)
  from bookings where deleted_at is null and check_in >= $1::date - 366 and check_in < $2::date + 1
    and upper(nights) > $1::date
  group by grouping sets ((status), (lower(nights)), (upper(nights)), (currency, source, channel_target_id))`

await withBenchWorld(async ({ world, operator }) => {
  const owner = new pg.Client({ connectionString: world.databaseUrl })
  const app = new pg.Client({ connectionString: world.databaseUrl, options: '-c role=vacancy_app' })
  for (const one of [owner, app]) one.on('error', () => {}) // reported by the query that fails
  await Promise.all([owner.connect(), app.connect()])
  await app.query("select set_config('app.org_id', $1, false)", [world.home.id])
  await owner.query('set session_replication_role = replica')
  await addSpace(operator)
  await withoutIndexes(owner, async () => {
    for (const text of insertUnits) await owner.query(text)
  })
  console.log('| bookings | period | stays of it | product ms | night by night ms | by check-in ms |')
  console.log('|--:|---|--:|--:|--:|--:|')
  const results = new Map<string, number[]>()
  let stored = 0
  for (const size of sizes) {
    await withoutIndexes(owner, async () => {
      for (; stored < size; stored += 10_000) await owner.query(insertBookings, [world.home.id])
    })
    await owner.query('vacuum analyze')
    for (const [name, [from, to]] of Object.entries(periods)) {
      const read = async () =>
        expectStatus(await operator.get(`/api/v1/admin/analytics?from=${from}&to=${to}`), 200)
      const stays = (await read()).analytics.bookings.total as number
      const product = await median(read)
      const baselines: number[] = []
      for (const text of [baselineByNight, baselineByCheckIn])
        baselines.push(await median(() => app.query(text, [from, to]), 3))
      results.set(`${size} ${name}`, [product, ...baselines])
      const cells = [size, name, stays, ...[product, ...baselines].map((ms) => ms.toFixed(0))]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
  await Promise.all([owner.end(), app.end()])
  const ratioToBest = (name: string) => {
    const [product, ...baselines] = results.get(`1000000 ${name}`)!
    return product! / Math.min(...baselines)
  }
  const monthMs = results.get('100000 month')![0]!
  reportVerdict(
    monthMs <= maxMs,
    `a month of 100,000 bookings takes ${monthMs.toFixed(0)} ms; limit ${maxMs}`,
  )
  const [month, year] = [ratioToBest('month'), ratioToBest('year')]
  const sentence = `a month of a million bookings takes ${month.toFixed(2)} of the best baseline, a year ${year.toFixed(2)}`
  reportVerdict(month < 0.2 && year < 1, `${sentence}; limits 0.20 and 1.00`)
})

/** Loads with the indexes dropped, which is faster, and creates them again. */
async function withoutIndexes(owner: pg.Client, load: () => Promise<void>): Promise<void> {
  const { rows } = await owner.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid in ('units'::regclass, 'bookings'::regclass) and not indisunique`,
  )
  await owner.query(`drop index ${rows.map(({ name }) => name).join(', ')}`)
  await load()
  for (const { definition } of rows) await owner.query(definition)
}

async function median(call: () => Promise<unknown>, times = 7): Promise<number> {
  const timesMs: number[] = []
  for (let at = 0; at <= times; at++) {
    const startedAt = performance.now()
    await call()
    if (at > 0) timesMs.push(performance.now() - startedAt)
  }
  return quantile(timesMs, 0.5)
}
