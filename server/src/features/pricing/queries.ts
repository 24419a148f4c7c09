import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { nightOf } from '#nights.ts'
import type { Stay, StayNight } from './stay.ts'

export interface AskedStay {
  readonly unitId: string
  /** The default plan of the unit when null. */
  readonly ratePlanId: 'every' | (string & {}) | null
  /** Local dates where the unit is; the night of the departure is not taken. */
  readonly arrival: string
  readonly departure: string
}

/**
 * A unit, a plan, its nights, what is taken of them, and the charges: one round trip. Undefined when there is no
 * such unit. Rooms are counted as they are at this moment: only the booking itself can keep them.
 */
export async function findStay(scope: Scope, { unitId, ...asked }: AskedStay): Promise<Stay | undefined> {
  const [stay] = await findStays(scope, { ...asked, unitIds: [unitId] })
  return stay
}

/**
 * The same of many units at once, one for each unit, or for each of its active plans. Each space is looked up by its
 * key: the planner, which cannot know how few are meant, might read all of them.
 */
export async function findStays(
  scope: Scope,
  asked: Omit<AskedStay, 'unitId'> & { readonly unitIds: readonly string[] },
): Promise<Stay[]> {
  const { unitIds, ratePlanId, arrival, departure } = asked
  const length = nightOf(departure) - nightOf(arrival)
  const from = sql`${arrival}::date`
  const plan =
    ratePlanId === null
      ? sql`p.is_default`
      : ratePlanId === 'every'
        ? sql`p.status = 'active'`
        : sql`p.id = ${ratePlanId}`
  const found = await rows(
    scope,
    sql<Omit<Stay, 'departure'>>`
      select u.id as unit_id, u.account_id, u.currency, u.quantity, u.max_guests, u.min_price_cents::float8,
        u.status as unit_status,
        s.status as space_status, (now() at time zone s.timezone)::date as today,
        case when p.id is not null
          then json_build_object('id', p.id, 'name', p.name, 'status', p.status,
            'is_default', p.is_default) end as plan,
        exists (select 1 from sales_stops x where x.org_id = u.org_id and x.lifted_at is null
          and x.channel_target_id is null and coalesce(x.space_id, u.space_id) = u.space_id
          and coalesce(x.unit_id, u.id) = u.id) as stopped,
        (select json_agg(json_build_object('date', ${from} + d,
            'price_cents', coalesce(n.price_cents, u.base_price_cents),
            'min_stay_arrival', coalesce(n.min_stay_arrival, 1),
            'min_stay_through', coalesce(n.min_stay_through, 1), 'max_stay', n.max_stay,
            'closed_to_arrival', coalesce(n.closed_to_arrival, false),
            'closed_to_departure', coalesce(n.closed_to_departure, false),
            'stop_sell', coalesce(n.stop_sell, false),
            'free', greatest(0, u.quantity - coalesce(t.booked + t.blocked, 0))) order by d)
          from generate_series(0, ${length}::int) d
          left join calendar_nights n on n.org_id = u.org_id and n.unit_id = u.id and n.rate_plan_id = p.id
            and n.night = ${from} + d and n.night between ${from} and ${from} + ${length}::int
          left join nights_taken(${scope.orgId}, array[u.id], ${from}, ${from} + ${length}::int) t
            on t.night = ${from} + d) as nights,
        (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'basis', c.basis,
            'amount_cents', c.amount_cents, 'currency', c.currency, 'percent', c.percent,
            'applies_to', c.applies_to, 'included', c.included, 'min_nights', c.min_nights,
            'max_nights', c.max_nights, 'charged_nights', c.charged_nights,
            'guests_included', c.guests_included) order by c.created_at, c.id), '[]')
          from charges c where c.org_id = u.org_id and c.status = 'active'
            and (c.space_id = u.space_id or c.unit_id = u.id)) as charges
      from units u
      cross join lateral (select s.id, s.status, s.timezone from spaces s
        where s.org_id = u.org_id and s.id = u.space_id offset 0) s
      left join rate_plans p on p.org_id = u.org_id and p.unit_id = u.id and ${plan}
      where u.org_id = ${scope.orgId} and u.id = any(${unitIds}::uuid[]) and u.deleted_at is null`,
  )
  return found.map((stay) => ({
    ...stay,
    nights: stay.nights.slice(0, -1),
    departure: stay.nights.at(-1) as StayNight,
  }))
}
