import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { addLinkedUnit, setPrice } from './linked-units.ts'
import { rowsRead, statementsOf } from './sent-statements.ts'
import { shareWorld } from './share-world.ts'

/**
 * A push reads what belongs to its listings, and nothing of the other listings of the organization. The planner expects a
 * hundred rows where a statement is given one, and a tenth of a table in each organization, so it would rather read all of
 * a middle-sized one.
 */

const { world, owner } = shareWorld({ workers: true })
const others = 300

before(async () => {
  const { targetId, spaceId } = await addLinkedUnit(owner)
  await world.settled()
  const database = openOwner(world.databaseUrl)
  const orgId = world.home.id
  await database.pipelined({ orgId }, [
    sql`set local session_replication_role = replica`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, 'Other ' || number, 'apartment', 1, 1, 2, 10000, 'eur'
      from spaces, generate_series(1, ${others}::int) number where id = ${spaceId}`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units where name like 'Other %'`,
    sql`insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id)
      select org_id, account_id, ${targetId}, id, name from units where name like 'Other %'`,
    sql`insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by, status)
      select org_id, id, channel_target_id, unit_id, '{}', 'completed' from channel_listings where external_id like 'Other %'`,
    sql`insert into accepted_months (org_id, channel_listing_id, month, nights)
      select listing.org_id, listing.id, date_trunc('month', now()) + number * interval '1 month', accepted.nights
      from channel_listings listing, generate_series(0, 9) number, (select nights from accepted_months limit 1) accepted
      where external_id like 'Other %'`,
    sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents)
      select org_id, unit_id, id, current_date + number, 9000 from rate_plans, generate_series(1, 20) number`,
    sql`insert into bookings (org_id, account_id, unit_id, nights, check_in, check_out, total_cents, currency, guest_name)
      select org_id, account_id, id, daterange(current_date + 3, current_date + 5), now() + interval '3 days',
        now() + interval '5 days', 20000, 'eur', 'Guest' from units where name like 'Other %'`,
    { text: 'analyze' },
  ])
  await database.close()
})

suite('a push', () => {
  test('reads the rows of its listing only', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const statements = await statementsOf(world.resources.database, async () => {
      await setPrice(owner, linked, 12_300)
      await world.settled()
    })
    const distinct = new Map(statements.map((statement) => [statement.text, statement]))
    assert.ok([...distinct.keys()].some((text) => text.includes('accepted_months')))
    const found = []
    for (const statement of distinct.values()) {
      const rows = await rowsRead(world, statement)
      if (rows > 40) found.push(`${rows} rows are read by ${statement.text}`)
    }
    assert.deepEqual(found, [])
  })
})
