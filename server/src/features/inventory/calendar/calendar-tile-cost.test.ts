import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { request } from 'undici'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import { addListing, addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { readCalendar } from './read-calendar.ts'

// The calendar of a portfolio with 400 units, two years of prices and 40,000 stays: what a screen of it costs.

const { world, owner: caller } = shareWorld()
const [from, to] = ['2030-03-04', '2030-04-28']
const units = 400
const firstNames =
  'Sofia Jonas Chloé Emma Luca Hana Noah Amelia Mateo Freja Oliver Nadia Pieter Grace Ethan'.split(' ')
const lastNames =
  'Almeida Weber Martin Johansson Bianchi Suzuki Williams Clarke García Nielsen Haddad Okafor Rossi Cohen'.split(
    ' ',
  )

before(async () => {
  const owner = openOwner(world.databaseUrl)
  world.defer(() => owner.close())
  const { id: orgId, accountId } = world.home
  const write = (...statements: Statement[]) => owner.pipelined({ orgId }, statements)
  await write(
    sql`
      insert into spaces (org_id, account_id, name, city, timezone, currency)
      select ${orgId}, ${accountId}, 'Space ' || n, 'Lisboa', 'Europe/Lisbon', 'eur'
      from generate_series(1, 20) n`,
    sql`
      insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents,
        currency)
      select ${orgId}, ${accountId}, space.id, 'Unit ' || lpad(n::text, 4, '0'), 'room', 1, 1, 2, 8000 + 100 * n, 'eur'
      from generate_series(1, ${units}::int) n
      join spaces space on space.name = 'Space ' || (1 + n % 20)`,
    sql`
      insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true
      from units`,
  )
  await write(
    // Past the triggers, which take longer for thousands than a test should.
    sql`set local session_replication_role = replica`,
    sql`
      insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents, min_stay_arrival)
      select plan.org_id, plan.unit_id, plan.id, date '2029-06-01' + day,
        9000 + 100 * (abs(hashtext(plan.id::text)) % 40) + 1500 * (day % 7 / 5) + 50 * (day / 30),
        case when day % 7 = 5 then 2 end
      from rate_plans plan, generate_series(0, 729) day`,
    sql`
      insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
      select unit.org_id, unit.account_id, unit.id,
        (${firstNames}::text[])[1 + abs(hashtext(unit.id::text || stay)) % ${firstNames.length}::int] || ' '
          || (${lastNames}::text[])[1 + abs(hashtext(stay || unit.id::text)) % ${lastNames.length}::int],
        daterange(stays.arrival, stays.arrival + 4), stays.arrival + time '15:00', stays.arrival + 4 + time '11:00',
        48000, 'eur'
      from units unit, generate_series(0, 99) stay,
        lateral (select date '2029-06-01' + stay * 6 + abs(hashtext(unit.id::text)) % 3 as arrival) stays`,
  )
  const { units: shown } = expectStatus(await caller.get('/api/v1/units?sort=name&limit=50'), 200)
  const { id: channel_target_id } = await addTarget(caller)
  await Promise.all(
    shown.map(({ id: unit_id }: { id: string }) => addListing(caller, { unit_id, channel_target_id })),
  )
  await write(sql`analyze`)
})

suite('calendar page: its cost', () => {
  test('50 units and 56 nights take at most 30 KiB, compressed', async () => {
    const path = `/api/v1/calendar?from=${from}&to=${to}&limit=50`
    const page = expectStatus(await caller.get(path), 200)
    assert.equal(page.calendar.length, 50)
    assert.ok(page.calendar.every(({ bookings }: { bookings: unknown[] }) => bookings.length > 8))
    const byteLength = await compressedBytes(`${world.url}${path}`)
    assert.ok(byteLength <= 30 * 1024, `${byteLength} bytes`)
  })

  test('is one statement, which reads nights and bookings from an index only where they are shown', async () => {
    const actor = { type: 'system', id: 'test', name: 'Test' } as const
    const { database } = world.resources
    const scope: Scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
    const plans: Plan[] = []
    const found = await atomically(scope, async (transaction) => {
      const { connection } = transaction
      const run: typeof connection.run = async (statement) => {
        const [row] = await connection.run(
          sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`explain (analyze, format json) ${statement}`,
        )
        plans.push(row!['QUERY PLAN'][0].Plan)
        return await connection.run(statement)
      }
      const page = { limit: 50, sort: 'name', after: null, cursorAt: () => '' }
      const access = { guests: true, contacts: true, sync: true }
      return await readCalendar(
        { ...transaction, connection: { ...connection, run } },
        { from, to },
        page,
        access,
      )
    })
    assert.equal(found.length, 51)
    assert.equal(plans.length, 1)
    const scans = plans.flatMap(scansOf)
    for (const table of ['calendar_nights', 'bookings']) {
      const ofTable = scans.filter((scan) => scan['Relation Name'] === table)
      assert.ok(ofTable.length > 0, table)
      for (const scan of ofTable)
        assert.match(scan['Node Type'], /^(Bitmap Heap|Index|Index Only) Scan$/, table)
    }
  })
})

/** The body as a browser gets it. */
async function compressedBytes(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${caller.token}`, 'accept-encoding': 'gzip, br' }
  const { body } = await request(url, { headers })
  return (await body.bytes()).byteLength
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

const scansOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(scansOf)]
