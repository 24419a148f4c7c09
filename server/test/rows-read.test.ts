import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Scope } from '#db/scope.ts'
import {
  findSpaceNamed,
  findUnitNamed,
  listUnitsNamed,
} from '#features/operations/file-imports/find-units.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from './expect.ts'
import { addLinkedUnit, setPrice, type LinkedUnit } from './linked-units.ts'
import { inDays } from './local-days.ts'
import { addBooking, addListing, addMessage, addQuote, addSpace, addUnit, systemScope } from './records.ts'
import { rowsRead, statementsOf } from './sent-statements.ts'
import { shareWorld } from './share-world.ts'

/**
 * A push reads what belongs to its listings, and nothing of the other listings of the organization; the same for what else
 * is about one record, and for what has been in its unit in earlier years. The planner expects a hundred rows where a
 * statement is given one, and a tenth of a table in each organization, so it would rather read all of a middle-sized one.
 */

const { world, owner } = shareWorld({ workers: true })
const others = 300
const small = 2_000

let neighbor: LinkedUnit

before(async () => {
  neighbor = await addLinkedUnit(owner)
  const { targetId, spaceId } = neighbor
  await world.settled()
  const database = openOwner(world.databaseUrl)
  const orgId = world.home.id
  await database.pipelined({ orgId }, [
    sql`set local session_replication_role = replica`,
    sql`insert into spaces (org_id, account_id, name, timezone, currency, city, country)
      select org_id, account_id, 'Other ' || number, timezone, currency, 'Other ' || number, 'PT'
      from spaces, generate_series(1, ${others}::int) number where id = ${spaceId}`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, name, 'apartment', 1, 1, 2, 10000, 'eur' from spaces where name like 'Other %'`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units where name like 'Other %'`,
    sql`insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id)
      select org_id, account_id, ${targetId}, id, name from units where name like 'Other %'`,
    sql`insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by, status, check_at)
      select org_id, id, channel_target_id, unit_id, '{}', 'completed', now() + interval '1 day'
      from channel_listings where external_id like 'Other %'`,
    sql`insert into accepted_months (org_id, channel_listing_id, month, nights)
      select listing.org_id, listing.id, date_trunc('month', now()) + number * interval '1 month', accepted.nights
      from channel_listings listing, generate_series(0, 9) number, (select nights from accepted_months limit 1) accepted
      where external_id like 'Other %'`,
    sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents)
      select org_id, unit_id, id, current_date + number, 9000 from rate_plans, generate_series(1, 20) number`,
    sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents)
      select org_id, unit_id, id, current_date - number, 9000
      from rate_plans, generate_series(1, ${others}::int) number where unit_id = ${neighbor.unitId}`,
    sql`insert into calendar_blocks (org_id, unit_id, night, blocked)
      select org_id, id, current_date - number, 1
      from units, generate_series(1, ${others}::int) number where id = ${neighbor.unitId}`,
    sql`insert into bookings (org_id, account_id, unit_id, nights, check_in, check_out, total_cents, currency, guest_name)
      select org_id, account_id, id, daterange(current_date + 3, current_date + 5), now() + interval '3 days',
        now() + interval '5 days', 20000, 'eur', 'Guest' from units where name like 'Other %'`,
    // Stays of years ago, in the unit itself.
    sql`insert into bookings (org_id, account_id, unit_id, nights, check_in, check_out, total_cents, currency, guest_name, source, channel_target_id, external_id)
      select org_id, account_id, id, daterange(last - 1, last), last - 1 + time '15:00Z', last + time '11:00Z', 20000, 'eur',
        'Guest', 'pms', ${targetId}, 'Past ' || last
      from units, generate_series(1, ${others}::int) number, lateral (select current_date - number as last) stay
      where id = ${neighbor.unitId}`,
    { text: 'analyze' },
  ])
  await database.close()
})

/** Many organizations with one listing each: by the statistics, an account or a channel has one. */
async function addSmallOrganizations(): Promise<void> {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: null }, [
    sql`set local session_replication_role = replica`,
    sql`insert into organizations (name, tier, settings) select 'Small ' || number, 'free', '{}' from generate_series(1, ${small}::int) number`,
    sql`insert into accounts (org_id, name) select id, name from organizations where name like 'Small %'`,
    sql`insert into spaces (org_id, account_id, name, timezone, currency, city, country)
      select org_id, id, name, 'UTC', 'eur', name, 'PT' from accounts where name like 'Small %'`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, name, 'apartment', 1, 1, 2, 10000, 'eur' from spaces where name like 'Small %'`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units where name like 'Small %'`,
    sql`insert into channel_targets (org_id, account_id, channel_type, name, config)
      select org_id, id, 'pms', name, '{}' from accounts where name like 'Small %'`,
    sql`insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id)
      select unit.org_id, unit.account_id, target.id, unit.id, unit.name
      from units unit join channel_targets target using (org_id) where unit.name like 'Small %'`,
    sql`insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by, status, check_at)
      select org_id, id, channel_target_id, unit_id, '{}', 'completed', now() + interval '1 day'
      from channel_listings where external_id like 'Small %'`,
    { text: 'analyze' },
  ])
  await database.close()
}

suite('the rows of one listing are read, when', () => {
  const night = { date_from: inDays(95), date_to: inDays(95) }
  const addPmsBooking = (external_id: string, arrivesIn: number) =>
    addMessage(world, neighbor.targetId, {
      type: 'booking.created',
      data: {
        ...{ external_id, unit_external_id: neighbor.externalId, guest_name: 'Ana', total_cents: 9_000 },
        ...{ check_in: inDays(arrivesIn), check_out: inDays(arrivesIn + 2) },
        revised_at: '2026-01-01T00:00:00Z',
      },
    })
  const changes: Record<string, () => Promise<unknown>> = {
    'a price is pushed and checked': () => setPrice(owner, neighbor, 12_300),
    'a night is changed': async () =>
      expectStatus(
        await owner.post('/api/v1/calendar', {
          values: [{ unit_id: neighbor.unitId, ...night, price_cents: 9_900, blocked: 0 }],
        }),
        201,
      ),
    'a booking is added, moved and cancelled': async () => {
      const { unitId } = neighbor
      const { id } = await addBooking(owner, { unitId, checkIn: inDays(124), checkOut: inDays(126) })
      const stay = { checkIn: inDays(125), checkOut: inDays(128) }
      for (const change of [stay, { notes: 'Late.' }, { status: 'cancelled' }])
        expectStatus(await owner.patch(`/api/v1/bookings/${id}`, change), 200)
    },
    'a quote is held and booked': async () => {
      const { unitId } = neighbor
      const quote = await addQuote(owner, {
        ...{ unit_id: unitId, hold: true, check_in: inDays(185), check_out: inDays(187) },
      })
      await addBooking(owner, {
        ...{ unitId, quoteId: quote.id, checkIn: inDays(185), checkOut: inDays(187) },
      })
    },
    'the number of rooms changes': async () =>
      expectStatus(await owner.patch(`/api/v1/units/${neighbor.unitId}`, { quantity: 2 }), 200),
    'a unit is linked': async () =>
      addListing(owner, {
        unit_id: (await addUnit(owner)).id,
        channel_target_id: neighbor.targetId,
        external_id: 'linked',
      }),
    'the PMS sends a booking': () => addPmsBooking('B-1', 154),
  }
  const readsNoOthers = async (change: () => Promise<unknown>) => {
    await world.settled()
    const statements = await statementsOf(world.resources.database, async () => {
      await change()
      await world.settled()
    })
    const distinct = new Map(statements.map((statement) => [statement.text, statement]))
    assert.ok([...distinct.keys()].some((text) => text.includes('accepted_months')))
    const found = []
    for (const statement of distinct.values()) {
      const rows = await rowsRead(world, statement, { insideFunctions: true })
      if (rows > 40) found.push(`${rows} rows are read by ${statement.text}`)
    }
    assert.deepEqual(found, [])
  }
  for (const [name, change] of Object.entries(changes)) test(name, () => readsNoOthers(change))

  suite('beside many small organizations', () => {
    before(addSmallOrganizations)
    test('a price is pushed and checked', () => readsNoOthers(() => setPrice(owner, neighbor, 12_400)))
    test('the PMS sends a booking', () => readsNoOthers(() => addPmsBooking('B-2', 160)))
  })
})

test('alternatives in the same city read the units of no other', async () => {
  const addUnitInCity = async () => {
    const { id } = await addSpace(owner, { city: 'Porto', country: 'PT' })
    return (await addUnit(owner, { space_id: id })).id as string
  }
  const [unitId, near] = [await addUnitInCity(), await addUnitInCity()]
  const stay = { unitId, checkIn: inDays(246), checkOut: inDays(248) }
  await addBooking(owner, stay)
  const statements = await statementsOf(world.resources.database, async () => {
    const { status, body } = await owner.post('/api/v1/bookings', { ...stay, guestName: 'Ana' })
    assert.deepEqual([status, body.alternatives], [409, [near]])
  })
  const found = statements.filter(({ text }) => text.includes('nights_taken('))
  assert.ok(found.length > 0)
  for (const statement of found) assert.ok((await rowsRead(world, statement)) < 20)
})

suite('a row of a file reads no other units and spaces', () => {
  const most = async (table: string, read: (scope: Scope) => Promise<unknown>, expected: unknown) => {
    const statements = await statementsOf(world.resources.database, async () =>
      assert.deepEqual(await read(systemScope(world, world.home)), expected),
    )
    const found = statements.filter(({ text }) => text.includes(table))
    assert.ok(found.length > 0)
    return Math.max(...(await Promise.all(found.map((statement) => rowsRead(world, statement)))))
  }

  test('when it has the name of a unit', async () => {
    const count = async (scope: Scope) =>
      (await listUnitsNamed(scope, { unit: 'Other 7', space: undefined })).length
    assert.ok((await most('unit_references', count, 1)) < 5)
    const alike = async (scope: Scope) =>
      (await findUnitNamed(scope, { unit: 'oTHER 7', space: undefined }))?.name
    assert.ok((await most('units unit', alike, 'Other 7')) < 5)
  })

  test('when its unit and space are new', async () => {
    const name = 'Lighthouse'
    const { accountId } = world.home
    const findUnit = (scope: Scope) => findUnitNamed(scope, { unit: name, space: name })
    assert.ok((await most('units unit', findUnit, undefined)) < 5)
    const findSpace = (scope: Scope) => findSpaceNamed(scope, { name, accountId })
    assert.ok((await most('from spaces', findSpace, undefined)) < 5)
  })
})

test('an export finds the events of a guest in parts of all', async () => {
  const guest = { email: 'ada.parts@mail.example' }
  const database = openOwner(world.databaseUrl)
  const orgId = world.home.id
  const [, of = []] = await database.pipelined({ orgId }, [
    sql`insert into events (org_id, type, data) select ${orgId}, 'unit.updated', '{}' from generate_series(1, 9000)`,
    sql`insert into events (org_id, type, data, occurred_at)
      select ${orgId}, 'unit.updated', ${JSON.stringify(guest)}, at
      from unnest(array[now() - interval '1 minute', clock_timestamp()]) at returning id`,
  ])
  await database.close()
  const statements = await statementsOf(world.resources.database, async () => {
    const { guest_export } = expectStatus(await owner.post('/api/v1/guest-exports', guest), 200)
    const idsOf = (list: unknown[]) => (list as { id: string }[]).map(({ id }) => id)
    assert.deepEqual(idsOf(guest_export.events), idsOf(of))
  })
  // What the workers enqueue meanwhile is not allowed in a request.
  for (const statement of statements.filter(({ text }) => !text.includes('queue.jobs'))) {
    const rows = await rowsRead(world, statement)
    // Some events have happened in the same millisecond.
    assert.ok(rows < 7_000, `${rows} rows are read by ${statement.text}`)
  }
})
