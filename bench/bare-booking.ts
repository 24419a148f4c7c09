import type pg from 'pg'

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
