import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'

export interface DemoStay {
  unit_id: string
  guest_name: string
  guests: number
  arrival: string
  nights: number
}

/** Inserts stays that check in at 15:00 and check out at 11:00 in the time zone of the space. */
export const insertStays = (scope: Scope, stays: DemoStay[]) =>
  rows(
    scope,
    sql`insert into bookings (org_id, account_id, unit_id, guest_name, guests, nights, check_in, check_out, total_cents,
        currency, source)
      select u.org_id, u.account_id, u.id, d.guest_name, d.guests,
        daterange(d.arrival, d.arrival + d.nights),
        (d.arrival + time '15:00') at time zone s.timezone, (d.arrival + d.nights + time '11:00') at time zone s.timezone,
        u.base_price_cents * d.nights, u.currency, 'direct'
      from jsonb_to_recordset(${JSON.stringify(stays)}::jsonb)
        as d (unit_id uuid, guest_name text, guests int, arrival date, nights int)
      join units u on u.org_id = ${scope.orgId} and u.id = d.unit_id
      join spaces s on s.org_id = u.org_id and s.id = u.space_id`,
  )
