import { sql } from '../server/src/db/sql.ts'
import type { Database } from '../server/src/db/connect.ts'
import { insertAccount, insertOrganization } from '../server/src/features/tenancy/provisioning/queries.ts'

/** Weeks of 2030 with the number of units that are free for all seven nights. */
export const weeks = [
  { from: '2030-03-04', to: '2030-03-11', free: 20 },
  { from: '2030-05-06', to: '2030-05-13', free: 200 },
  { from: '2030-07-08', to: '2030-07-15', free: 2_000 },
  { from: '2030-09-02', to: '2030-09-09', free: Infinity },
] as const

/**
 * Adds an organization with this many units, fifty in each space, and a year of stays that book two of three nights. The
 * triggers are disabled, because they take a millisecond for each stay, so the free stretches are inserted as well.
 */
export async function addBenchOrganization(owner: Database, size: number): Promise<string> {
  const { id: orgId } = await insertOrganization(owner, { name: `${size} units`, tier: 'free', settings: {} })
  const { id: accountId } = await insertAccount(owner, orgId, 'Bench')
  const stay = sql`insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents,
      currency)
    select ${orgId}, ${accountId}, id, 'Guest', daterange(arrival, departure), arrival + time '15:00',
      departure + time '11:00', 1, 'eur'`
  await owner.pipelined({ orgId }, [
    sql`set local session_replication_role = replica`,
    sql`select setseed(0.5)`,
    sql`insert into spaces (org_id, account_id, name, city, country, timezone, currency)
      select ${orgId}, ${accountId}, 'Space ' || n, 'City ' || n, 'PT', 'Europe/Lisbon', 'eur'
      from generate_series(1, ${size / 50}) n`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents,
        currency, created_at)
      select ${orgId}, ${accountId}, space.id, 'Unit ' || n, 'apartment', 2, 1, 4, 5000 + (random() * 20000)::int, 'eur',
        now() - random() * interval '500 days'
      from spaces space, generate_series(1, 50) n
      where space.org_id = ${orgId}`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units where org_id = ${orgId}`,
    // Between the weeks, stays of ten to sixty nights.
    ...weeks.map(
      ({ to }, at) => sql`${stay} from (
        select id, arrival, least(arrival + 10 + (random() * 40)::int,
          coalesce(${weeks[at + 1]?.from ?? null}::date, '2031-01-01')) as departure
        from (
          select id, ${to}::date + (random() * 20)::int as arrival
          from units
          where org_id = ${orgId}
        ) arrivals
      ) stays`,
    ),
    // In the weeks, a stay of one to seven nights for each unit that is not free.
    ...weeks.map(
      ({ from, to, free }) => sql`${stay} from (
        select id, arrival, least(arrival + 1 + (random() * 6)::int, ${to}::date) as departure
        from (
          select id, ${from}::date + (random() * 6)::int as arrival
          from units
          where org_id = ${orgId}
          order by md5(id::text || ${from})
          offset ${Math.min(free, size)}
        ) arrivals
      ) stays`,
    ),
  ])
  await owner.pipelined({ orgId }, [
    // The rows of the triggers: each unit has one room, and no stays overlap.
    sql`insert into free_stretches (org_id, unit_id, first_night, end_night)
      select org_id, unit_id, first_night, end_night
      from (
        select org_id, unit_id, lower(nights) as end_night,
          coalesce(lag(upper(nights)) over (partition by unit_id order by nights), '-infinity') as first_night
        from (
          select org_id, unit_id, nights from bookings where org_id = ${orgId}
          union all
          select org_id, id, daterange('9999-01-01', null) from units where org_id = ${orgId}
        ) stays
      ) stretches
      where first_night < end_night`,
    sql`update free_stretches set end_night = 'infinity' where org_id = ${orgId} and end_night = '9999-01-01'`,
    sql`insert into charges (org_id, account_id, space_id, name, kind, basis, amount_cents, currency)
      select org_id, account_id, id, 'Cleaning', 'fee', 'stay', 5000, 'eur' from spaces where org_id = ${orgId}`,
    sql`set local session_replication_role = replica`,
    sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents)
      select plan.org_id, plan.unit_id, plan.id, ${weeks[0].from}::date + n * 21, 7500
      from rate_plans plan, generate_series(0, 9) n
      where plan.org_id = ${orgId}`,
    sql`insert into calendar_blocks (org_id, unit_id, night, blocked)
      select org_id, id, '2029-12-31', 1 from units where org_id = ${orgId}`,
    sql`insert into sales_stops (org_id, account_id, unit_id, stopped_by, lifted_at)
      select org_id, account_id, id, '{"type": "user", "id": "1", "name": "Ana"}', now() from units
      where org_id = ${orgId} limit 1000`,
  ])
  return orgId
}
