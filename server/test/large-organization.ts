import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { withClient } from './databases.ts'
import type { World } from './world.ts'

const small = 600
/** Listings of the large organization: so few that every index on its id could seem to lead to one row. */
export const linked = 95
/** Bookings of the large organization that have changed last, and listings that fail. */
export const few = 2
/** The webhook endpoint of the large organization. */
export const endpointId = '5a1e0000-0000-4000-8000-000000000001'

/**
 * Mixes the rows of all organizations, a second after each other: of many in one millisecond, a plan that sorts them by
 * their ids reads all.
 */
const mixedTime = sql`now() + (row_number() over (order by id) - 20000) * interval '1 second'`

/** Makes the organization of a world a large one, beside many small ones, with statistics. */
export async function fillLargeOrganization(world: World): Promise<void> {
  const database = openOwner(world.databaseUrl)
  const orgId = world.home.id
  const ofLarge = sql`org_id = ${orgId}`
  await database.pipelined({ orgId }, [
    // The triggers of 9,000 units, plans and bookings take half a minute, on a busy machine more.
    sql`set local session_replication_role = replica`,
    sql`insert into organizations (name, tier, settings) select 'Small ' || number, 'free', '{}' from generate_series(1, ${small}::int) number`,
    sql`insert into accounts (org_id, name) select id, name from organizations where name like 'Small %'`,
    sql`insert into spaces (org_id, account_id, name, timezone, currency)
      select distinct on (org_id) org_id, id, name, 'UTC', 'eur' from accounts`,
    sql`insert into spaces (org_id, account_id, name, timezone, currency)
      select org_id, account_id, 'Space ' || number, timezone, currency from spaces, generate_series(1, 300) number where ${ofLarge}`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, name || ' / ' || number, 'apartment', 1, 1, 2, 10000, 'eur'
      from spaces, generate_series(1, 10) number`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units`,
    sql`insert into bookings (org_id, account_id, unit_id, nights, check_in, check_out, total_cents, currency, guest_name)
      select org_id, account_id, id, daterange(arrival, arrival + 2), arrival + time '15:00Z', arrival + 2 + time '10:00Z', 20000, 'eur', 'Guest'
      from units, lateral (select date '2027-01-01' + abs(hashtext(name)) % 700 as arrival) stay`,
    sql`update bookings set updated_at = '2099-01-01Z' where id in (select id from bookings where ${ofLarge} order by id limit ${few}::int)`,
    sql`insert into channel_targets (org_id, account_id, channel_type, name, config)
      values (${orgId}, ${world.home.accountId}, 'pms', 'Target', '{}')`,
    sql`insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id)
      select unit.org_id, unit.account_id, target.id, unit.id, 'room ' || unit.name
      from channel_targets target
      join units unit using (org_id)
      order by unit.name
      limit ${linked}::int`,
    sql`insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by)
      select org_id, id, channel_target_id, unit_id, '{}' from channel_listings`,
    sql`update listing_syncs set error_code = 'rejected' where channel_listing_id in (select id from channel_listings order by id limit ${few}::int)`,
    sql`insert into sync_audit (org_id, account_id, action, status, trigger, actor)
      select ${orgId}, ${world.home.accountId}, 'sync.started', 'in_progress', 'change', '{}' from generate_series(1, 9000)`,
    sql`insert into audit_entries (org_id, kind, record_id, action, actor, changes)
      select org_id, 'booking', id, 'updated', '{}', '[]' from bookings where ${ofLarge} limit 30`,
    sql`insert into audit_entries (org_id, kind, record_id, name, action, actor, changes, created_at)
      select ${orgId}, 'charge', gen_random_uuid(), 'Cleaning', 'updated', '{"id": "importer", "name": "Importer"}', '[]',
        now() - number * interval '1 minute'
      from generate_series(1, 1200) number`,
    sql`insert into events (org_id, type, data) select ${orgId}, 'unit.updated', '{}' from generate_series(1, 9000)`,
    sql`insert into webhook_endpoints (id, org_id, url, event_types, secret, description)
      values (${endpointId}, ${orgId}, 'https://partner.example/', '{*}', '', '')`,
    sql`insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, status)
      select org_id, ${endpointId}, id, occurred_at, type, 'delivered' from events where ${ofLarge}`,
    sql`insert into payment_intents (org_id, account_id, booking_id, amount, currency, status, next_attempt_at)
      select org_id, account_id, id, 100, 'eur', 'succeeded', null from bookings`,
    sql`insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason, status, next_attempt_at)
      select org_id, account_id, id, 100, currency, 'other', status, null from payment_intents`,
    sql`insert into notifications (org_id, account_id, kind, channel, audience, recipient, locale, subject, story, status, created_at)
      select org_id, account_id, 'booking.confirmed', 'email', 'guest', 'guest@mail.example', 'en', '', '{}', 'sent',
        ${mixedTime}
      from bookings`,
    sql`insert into calendar_changes (org_id, id, account_id, unit_id, unit_count, value_count, nights, nights_changed, listings,
        members, date_from, date_to, actor, created_at)
      select org_id, id, account_id, unit_id, 1, 1, 1, 1, 0, '{price_cents}', current_date, current_date, '{"type": "user"}',
        ${mixedTime}
      from bookings`,
  ])
  await database.close()
  // As sooner or later by itself: it decides whether an index is enough for a read.
  await withClient(world.databaseUrl, async (client) => void (await client.query('vacuum analyze')))
}
