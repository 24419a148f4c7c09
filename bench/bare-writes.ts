import type pg from 'pg'

/** The rest of a statement that has `stored` a record: its event, and its JSON as the result. */
const withEvent = (type: string, kind: string) => `
    event as (
      insert into events (org_id, account_id, type, subject_id, data)
      select org_id, account_id, '${type}', id, json_build_object('${kind}', json::json)
      from stored)
    select json from stored`

/** What the product stores for a write, in its tables, by one statement: the record with its history, and its event; a unit with its plan. */
const statements = {
  space: `
    with stored as (
      insert into spaces (org_id, account_id, name, city, timezone, currency)
      select org_id, id, $2::json ->> 'name', $2::json ->> 'city', $2::json ->> 'timezone', 'eur'
      from accounts
      where org_id = $1
      limit 1
      returning *),
    ${withEvent('space.created', 'space')}`,
  unit: `
    with stored as (
      insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, $2::json ->> 'name', 'apartment', 1, 1, 2,
        ($2::json ->> 'base_price_cents')::int, currency
      from spaces
      where org_id = $1 and id = ($2::json ->> 'space_id')::uuid
      returning *),
    plan as (
      insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true
      from stored
      returning *),
    plan_event as (
      insert into events (org_id, account_id, type, subject_id, data)
      select org_id, account_id, 'rate_plan.created', id, json_build_object('rate_plan', json::json)
      from plan),
    ${withEvent('unit.created', 'unit')}`,
  price: `
    with stored as (
      update units
      set base_price_cents = ($2::json ->> 'base_price_cents')::int, version = version + 1, updated_at = now()
      where org_id = $1 and id = ($2::json ->> 'id')::uuid
      returning *),
    ${withEvent('unit.updated', 'unit')}`,
  message: `
    with stored as (
      insert into webhook_messages (org_id, account_id, channel_target_id, source, kind, message_id, body, signed)
      select target.org_id, target.account_id, target.id, 'generic', $2::json ->> 'type', $2::json ->> 'id', $2, false
      from channel_listings listing
      join channel_targets target on target.org_id = listing.org_id and target.id = listing.channel_target_id
      where listing.org_id = $1 and listing.external_id = $2::json -> 'data' ->> 'unit_external_id'
      limit 1
      returning *),
    job as (
      insert into queue.jobs (queue, org_id, data)
      select 'bench', org_id, json_build_object('message', id)
      from stored)
    select json from stored`,
}

export async function writeInProduct(
  pool: pg.Pool,
  orgId: string,
  kind: keyof typeof statements,
  body: Record<string, unknown>,
): Promise<string> {
  const { rows } = await pool.query<{ json: string }>({
    ...{ name: `write-${kind}`, text: statements[kind], values: [orgId, JSON.stringify(body)] },
  })
  return rows[0]!.json
}

/** The transaction of a booking, with history, event and job, one statement after the other. */
export async function bookInProduct(
  pool: pg.Pool,
  orgId: string,
  { unitId, checkIn, checkOut }: Record<string, unknown>,
): Promise<string> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query("select set_config('app.org_id', $1, true), set_config('role', 'vacancy_app', true)", [
      orgId,
    ])
    const locked = await client.query<{ account_id: string }>({
      name: 'lock-unit',
      text: 'select account_id from units where org_id = $1 and id = $2 for no key update',
      values: [orgId, unitId],
    })
    const accountId = locked.rows[0]!.account_id
    const full = await client.query({
      name: 'count',
      text: `select taken.night
        from units unit
        join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
        left join rate_plans plan
          on plan.org_id = unit.org_id and plan.unit_id = unit.id and plan.is_default,
        nights_taken(unit.org_id, array[unit.id], $3::date, $4::date - 1) taken
        where unit.org_id = $1 and unit.id = $2 and taken.booked + taken.blocked + 1 > unit.quantity`,
      values: [orgId, unitId, checkIn, checkOut],
    })
    if (full.rowCount) throw new Error('full')
    const made = await client.query({
      name: 'insert',
      text: `insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
        values ($1, $2, $3, 'Guest', daterange($4, $5), $4::date + time '15:00', $5::date + time '11:00', 10000, 'eur')
        returning id, json::jsonb as fields, json`,
      values: [orgId, accountId, unitId, checkIn, checkOut],
    })
    const { id, json } = made.rows[0] as { id: string; json: string }
    await client.query({
      name: 'audit',
      text: `insert into sync_audit (org_id, account_id, unit_id, action, trigger, actor, changes)
        values ($1, $2, $3, 'booking.created', 'change', '{}', $4)`,
      values: [orgId, accountId, unitId, JSON.stringify([{ field: 'booking', before: null, after: json }])],
    })
    await client.query({
      name: 'event',
      text: `insert into events (org_id, account_id, type, subject_id, data) values ($1, $2, 'booking.created', $3, $4)`,
      values: [orgId, accountId, id, JSON.stringify({ booking: JSON.parse(json) })],
    })
    await client.query({
      name: 'job',
      text: `insert into queue.jobs (queue, org_id, data, key) values ('notifications', $1, $2, $3)`,
      values: [
        orgId,
        JSON.stringify({ job: 'notify-of-event', org_id: orgId, payload: { eventId: id } }),
        id,
      ],
    })
    await client.query('commit')
    return json
  } finally {
    client.release()
  }
}
