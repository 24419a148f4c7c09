// organization-move: how long is an organization with 10,000 units frozen while it moves to another cell?
import pg from 'pg'
import { moveOrganization } from '../server/src/features/operations/organization-moves/move-organization.ts'
import type { TestCaller } from '../server/test/caller.ts'
import { addSpace } from '../server/test/records.ts'
import { openWorld } from '../server/test/world.ts'
import { reportVerdict, withBenchWorld } from './bench-world.ts'

const units = 10_000
const bookingsOfUnit = 20
const nightsOfUnit = 30
const maxSeconds = 60

/** Inserted by SQL: through the API it would take hours. */
const records = [
  `insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
  select org_id, account_id, id, 'Unit ' || n, 'room', 1, 1, 2, 10000, 'eur' from spaces, generate_series(1, ${units}) n
  where id = $1`,
  `insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
  select org_id, account_id, id, 'Standard', currency, true from units where space_id = $1`,
  `insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents)
  select org_id, unit_id, id, date '2031-01-01' + n, 12000 + n
  from rate_plans, generate_series(1, ${nightsOfUnit}) n where unit_id in (select id from units where space_id = $1)`,
  `insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
  select org_id, account_id, id, 'Guest ' || n, daterange(date '2031-01-01' + 7 * n, date '2031-01-03' + 7 * n),
    date '2031-01-01' + 7 * n + time '15:00', date '2031-01-03' + 7 * n + time '11:00', 20000, 'eur'
  from units, generate_series(1, ${bookingsOfUnit}) n where space_id = $1`,
  `insert into events (org_id, account_id, type, subject_id, data)
  select org_id, account_id, 'booking.created', id, json_build_object('booking', json::json) from bookings
  where unit_id in (select id from units where space_id = $1)`,
  `insert into sync_audit (org_id, account_id, unit_id, action, actor, changes)
  select org_id, account_id, unit_id, 'booking.created', '{"type":"user","id":"bench","name":"Bench"}',
    jsonb_build_array(jsonb_build_object('field', 'status', 'from', null, 'to', status)) from bookings
  where unit_id in (select id from units where space_id = $1)`,
]

await withBenchWorld(async ({ world, operator }) => {
  await using other = await openWorld()
  const owner = new pg.Client({ connectionString: world.databaseUrl })
  owner.on('error', () => {}) // reported by the query that fails
  await owner.connect()
  await owner.query('set session_replication_role = replica')
  const { id } = await addSpace(operator)
  let rows = 0
  for (const text of records) rows += (await owner.query(text, [id])).rowCount!
  await owner.query('vacuum analyze')
  await owner.end()
  const { config, resources } = other
  const secrets = world.config.secrets
  // Until the freeze rejects it.
  const changing = changeUnits(operator)
  const startedAt = performance.now()
  const { frozenMs } = await moveOrganization({
    ...{ orgId: world.home.id, to: 'other', switchRoute: async () => {}, progress: () => {} },
    source: { config: world.config, storage: world.resources.storage },
    target: { config: { ...config, secrets }, storage: resources.storage },
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const frozen = frozenMs! / 1_000
  console.log(
    `${rows} records of ${units} units, ${await changing} changes meanwhile: moved in ${seconds.toFixed(1)} s`,
  )
  reportVerdict(frozen < maxSeconds, `frozen for ${frozen.toFixed(1)} s; limit ${maxSeconds}`)
})

/** Changes one unit after the other; resolves with how many changes were made. */
async function changeUnits(operator: TestCaller): Promise<number> {
  const { units: found } = (await operator.get('/api/v1/units?limit=100')).body as { units: { id: string }[] }
  for (let changes = 0; ; changes++) {
    const path = `/api/v1/units/${found[changes % found.length]!.id}`
    const { status } = await operator.patch(path, { base_price_cents: 10_000 + changes })
    if (status === 503) return changes
    if (status !== 200) throw new Error(`PATCH ${path}: ${status}`)
  }
}
