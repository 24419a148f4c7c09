import type pg from 'pg'
import { activityOf, activityTables } from './growth-activity.ts'

/** Records of organizations of any size, inserted by SQL: a million bookings through the API would take an hour. */

const towns = 'Lisboa Porto Lagos Sintra Évora Braga Faro Tavira Coimbra Aveiro Nazaré Peniche Óbidos'
const streets =
  'Augusta Garrett Carmo Alegria Flores Norte Saudade Prata Ouro Rosa Atalaia Graça Lapa Junqueira'
const surnames =
  'Silva Santos Costa Martins Sousa Gomes Lopes Alves Pinto Moreira Nunes Vieira Rocha Neves Cruz Ramos Müller Smith'
const firstNames =
  'Ana Rui Maria John Petra Sven Inês Lars João Sofia Tiago Luís Helena Emma Noah Lena Finn Clara'
const types = 'apartment studio house villa room loft'

/** A word for the number `n`; the first ones are the most frequent. Other primes give independent words. */
const word = (words: string, prime: number) =>
  `(string_to_array('${words}', ' '))[1 + floor(${words.split(' ').length} * power(n::bigint * ${prime} % 99991 / 99991.0, 2))::int]`

/** One record after the other, within the last two years. */
const createdAt = `now() - interval '730 days' + n * interval '50 seconds'`

/** For each unit a rate plan, a listing, a booking and an entry of each history; twenty units in a space. */
const insertsOf = (orgId: string, accountId: string, size: number) => {
  const ids = `'${orgId}'::uuid, '${accountId}'::uuid`
  const ofOrg = `org_id = '${orgId}'`
  const withTarget = `numbered join (select id as target_id, row_number() over (order by id) - 1 as number
    from channel_targets where ${ofOrg} limit 20) target on target.number = n % 20`
  return [
    `insert into spaces (org_id, account_id, name, address, city, zip, country, timezone, currency, created_at, updated_at)
      select ${ids}, 'Casa ' || ${word(surnames, 7919)} || ' ' || n, 'Rua ' || ${word(streets, 6007)} || ' ' || n % 300,
        ${word(towns, 5003)}, 1000 + n % 8000, case when n % 50 = 0 then 'ES' else 'PT' end, 'Europe/Lisbon', 'eur',
        ${createdAt}, ${createdAt}
      from generate_series(1, ${Math.ceil(size / 20)}) n`,
    `insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents,
        currency, status, created_at, updated_at)
      select ${ids}, space.id, ${word(streets, 7919)} || ' ' || n % 300 || ', ' || ${word(towns, 6007)} || ' / ' || n,
        ${word(types, 5003)}, 1 + n % 3, 1, 2 + n % 5, 5000 + n % 20000, 'eur',
        case when n % 31 = 0 then 'maintenance' when n % 53 = 0 then 'archived' else 'active' end,
        ${createdAt}, ${createdAt}
      from (select id, row_number() over (order by created_at, id) as number from spaces where ${ofOrg}) space
      join generate_series(1, ${size}) n on space.number = (n + 19) / 20`,
    'drop table if exists numbered',
    `create temporary table numbered as
      select org_id, account_id, id as unit_id, status as unit_status,
        (row_number() over (order by created_at, id))::int as n
      from units where ${ofOrg}`,
    `insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default, created_at, updated_at)
      select org_id, account_id, unit_id, 'Standard', 'eur', true, ${createdAt}, ${createdAt} from numbered`,
    `insert into channel_targets (org_id, account_id, channel_type, name, config, status)
      select ${ids}, 'pms', 'Hotel system ' || n, '{}', 'active' from generate_series(1, 20) n`,
    `insert into target_syncs (org_id, channel_target_id, reconcile_at)
      select org_id, id, now() from channel_targets where ${ofOrg}`,
    `insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id, status, created_at,
        updated_at)
      select org_id, account_id, target_id, unit_id, 'room-' || n, 'active', ${createdAt}, ${createdAt} from ${withTarget}`,
    `insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by, status,
        wanted_version, synced_version, last_synced_at, error_code, changed_at)
      select org_id, id, channel_target_id, unit_id, '{}', case when n % 5000 = 0 then 'failed' else 'completed' end, 1, 1,
        now(), case when n % 5000 = 0 then 'rejected' end, created_at
      from channel_listings join numbered using (org_id, unit_id)`,
    `insert into bookings (org_id, account_id, unit_id, guest_name, guest_email, guest_phone, nights, check_in, check_out,
        total_cents, currency, status, source, channel_target_id, external_id, created_at, updated_at)
      select org_id, account_id, unit_id, guest, lower(replace(guest, ' ', '.')) || n || '@guest.example', '3519' || n,
        daterange(arrival, departure), arrival + time '15:00', departure + time '11:00', 30000, 'eur',
        case when n % 10 = 0 then 'cancelled' when n % 997 = 0 then 'no_show' when departure <= current_date then
          'checked_out' when arrival < current_date then 'checked_in' else 'confirmed' end,
        case when n % 3 = 0 then 'direct' else 'pms' end, case when n % 3 > 0 then target_id end,
        case when n % 3 > 0 then 'HS-' || n end, ${createdAt}, ${createdAt}
      from (
        select *, ${word(firstNames, 7919)} || ' ' || ${word(surnames, 6007)} as guest,
          arrival + 1 + n % 6 + case when n % 100 = 0 then 20 else 0 end as departure
        from (select *, current_date - 548 + (n::bigint * 7919 % 1096)::int as arrival from ${withTarget}) stay
      ) stay`,
    `insert into free_stretches (org_id, unit_id, first_night, end_night)
      select org_id, unit_id, first_night, end_night
      from bookings join numbered using (org_id, unit_id),
        lateral (values ('-infinity', arrival), (departure, 'infinity')) stretch (first_night, end_night)
      where unit_status = 'active'`,
    `insert into audit_entries (org_id, kind, record_id, name, action, actor, changes, created_at)
      select org_id, (array['unit', 'booking', 'rate_plan', 'channel_listing'])[1 + n % 4], unit_id, 'Unit ' || n,
        case when n % 20 < 19 then 'updated' else 'created' end, '{"id":"seed","name":"Seed","type":"system"}', '[]',
        ${createdAt}
      from numbered`,
    `insert into events (org_id, account_id, type, subject_id, data, occurred_at)
      select org_id, account_id, 'unit.created', unit_id, '{}', now() from numbered`,
    `insert into sync_audit (org_id, account_id, channel_listing_id, channel_target_id, unit_id, job_id, action, status,
        mode, trigger, actor, created_at)
      select org_id, account_id, listing.id, channel_target_id, unit_id, gen_random_uuid(),
        case when n % 2 = 0 then 'sync.started' else 'sync.completed' end,
        case when n % 2 = 0 then 'in_progress' else 'completed' end, 'delta',
        case when n % 5000 = 0 then 'manual' else 'change' end,
        '{"id":"seed","name":"Seed","type":"system"}', ${createdAt}
      from channel_listings listing join numbered using (org_id, account_id, unit_id)
      order by n`,
    ...activityOf(orgId, createdAt),
    'drop table numbered',
  ]
}

/** A thousand organizations with three units each. */
const smallOrganizations = [
  `insert into organizations (name, tier, settings) select 'Small ' || n, 'free', '{}' from generate_series(1, 1000) n`,
  `insert into accounts (org_id, name) select id, name from organizations where name like 'Small %'`,
  `insert into spaces (org_id, account_id, name, timezone, currency)
    select org_id, id, name, 'UTC', 'eur' from accounts where name like 'Small %'`,
  `insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
    select org_id, account_id, id, name || ' / ' || n, 'room', 1, 1, 2, 10000, 'eur'
    from spaces, generate_series(1, 3) n where name like 'Small %'`,
  `insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
    select org_id, account_id, id, 'Standard', 'eur', true from units where name like 'Small %'`,
  `insert into channel_targets (org_id, account_id, channel_type, name, config)
    select org_id, id, 'pms', 'Target', '{}' from accounts where name like 'Small %'`,
  `insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id)
    select unit.org_id, unit.account_id, target.id, unit.id, unit.name
    from units unit join channel_targets target using (org_id) where unit.name like 'Small %'`,
  `insert into listing_syncs (org_id, channel_listing_id, channel_target_id, unit_id, requested_by, status,
      wanted_version, synced_version)
    select org_id, id, channel_target_id, unit_id, '{}', 'completed', 1, 1 from channel_listings
    where external_id like 'Small %'`,
  `insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
    select org_id, account_id, id, 'Guest', daterange(current_date, current_date + 2), current_date + time '15:00',
      current_date + 2 + time '10:00', 20000, 'eur'
    from units where name like 'Small %'`,
]

interface Filled {
  readonly id: string
  readonly accountId: string
  readonly size: number
}

/**
 * Fills the organizations, and adds a thousand small ones beside them. Indexes are not kept meanwhile and built
 * afterwards, which is much faster.
 */
export async function fillOrganizations(owner: pg.Client, organizations: readonly Filled[]): Promise<void> {
  for (const setting of [
    `session_replication_role = replica`,
    `synchronous_commit = off`,
    `maintenance_work_mem = '1GB'`,
    `work_mem = '256MB'`,
  ])
    await owner.query(`set ${setting}`)
  const { rows } = await owner.query<{ name: string }>(
    `with paused as (
      update pg_index set indisready = false, indisvalid = false
      where indrelid in (select relid from pg_stat_user_tables where relname = any ($1)
        union all select inhrelid from pg_inherits where inhparent::regclass::text = any ($1))
      returning indrelid
    )
    select distinct indrelid::regclass::text as name from paused`,
    [filledTables],
  )
  for (const text of smallOrganizations) await owner.query(text)
  for (const { id, accountId, size } of organizations)
    for (const text of insertsOf(id, accountId, size)) await owner.query(text)
  for (const { name } of rows) await owner.query(`reindex table ${name}`)
  await owner.query('vacuum analyze')
}

const filledTables = [
  ...['spaces', 'units', 'rate_plans', 'channel_listings', 'listing_syncs', 'bookings', 'free_stretches'],
  ...['audit_entries', 'events', 'sync_audit', ...activityTables],
]
