import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { nightOf } from '#schema/nights.ts'
import type { Stay, StayNight } from './stay.ts'

export interface StayRequest {
  readonly unitId: string
  /** A plan, every active plan, or the default plan when null. */
  readonly ratePlanId: 'every' | (string & {}) | null
  /** Dates in the time zone of the unit. The night of the departure is not part of the stay. */
  readonly arrival: string
  readonly departure: string
}

/**
 * Loads all that decides availability and price of a stay in one round trip; undefined when the unit does not exist. Free
 * rooms are those of this moment: only a booking reserves them.
 */
export async function loadStay(scope: Scope, { unitId, ...request }: StayRequest): Promise<Stay | undefined> {
  const [stay] = await loadStays(scope, { ...request, unitIds: [unitId] })
  return stay
}

/**
 * Loads the same for several units: one stay for each unit, or for each of its active plans. The space is joined laterally
 * by its key, because the planner does not know how few units are given and might otherwise scan all spaces.
 */
export async function loadStays(
  scope: Scope,
  request: Omit<StayRequest, 'unitId'> & { readonly unitIds: readonly string[] },
): Promise<Stay[]> {
  const { unitIds, ratePlanId, arrival, departure } = request
  const nightCount = nightOf(departure) - nightOf(arrival)
  const from = sql`${arrival}::date`
  const to = sql`${from} + ${nightCount}::int`
  const isRequestedPlan =
    ratePlanId === null
      ? sql`plan.is_default`
      : ratePlanId === 'every'
        ? sql`plan.status = 'active'`
        : sql`plan.id = ${ratePlanId}`
  const found = await rows(
    scope,
    sql<Omit<Stay, 'departure'>>`
      select unit.id as unit_id, unit.account_id, unit.currency, unit.quantity, unit.max_guests,
        unit.min_price_cents::float8, unit.status as unit_status, space.status as space_status,
        (now() at time zone space.timezone)::date as today,
        case when plan.id is not null
          then json_build_object('id', plan.id, 'name', plan.name, 'status', plan.status,
            'is_default', plan.is_default) end as plan,
        exists (
          select 1
          from sales_stops stop
          where stop.org_id = unit.org_id
            and stop.lifted_at is null
            and stop.channel_target_id is null
            and coalesce(stop.space_id, unit.space_id) = unit.space_id
            and coalesce(stop.unit_id, unit.id) = unit.id) as stopped,
        (select json_agg(json_build_object('date', ${from} + day.index,
            'price_cents', coalesce(night.price_cents, unit.base_price_cents),
            'min_stay_arrival', coalesce(night.min_stay_arrival, 1),
            'min_stay_through', coalesce(night.min_stay_through, 1), 'max_stay', night.max_stay,
            'closed_to_arrival', coalesce(night.closed_to_arrival, false),
            'closed_to_departure', coalesce(night.closed_to_departure, false),
            'stop_sell', coalesce(night.stop_sell, false),
            'free', greatest(0, unit.quantity - coalesce(taken.booked + taken.blocked, 0))) order by day.index)
          from generate_series(0, ${nightCount}::int) day(index)
          left join calendar_nights night
            on night.org_id = unit.org_id
            and night.unit_id = unit.id
            and night.rate_plan_id = plan.id
            and night.night = ${from} + day.index
            and night.night between ${from} and ${to}
          left join nights_taken(${scope.orgId}, array[unit.id], ${from}, ${to}) taken
            on taken.night = ${from} + day.index) as nights,
        (select coalesce(json_agg(json_build_object('id', charge.id, 'name', charge.name, 'kind', charge.kind,
            'basis', charge.basis, 'amount_cents', charge.amount_cents, 'currency', charge.currency,
            'percent', charge.percent, 'applies_to', charge.applies_to, 'included', charge.included,
            'min_nights', charge.min_nights, 'max_nights', charge.max_nights,
            'charged_nights', charge.charged_nights, 'guests_included', charge.guests_included)
            order by charge.created_at, charge.id), '[]')
          from charges charge
          where charge.org_id = unit.org_id
            and charge.status = 'active'
            and (charge.space_id = unit.space_id or charge.unit_id = unit.id)) as charges
      from units unit
      cross join lateral (
        select spaces.id, spaces.status, spaces.timezone
        from spaces
        where spaces.org_id = unit.org_id and spaces.id = unit.space_id
        offset 0) space
      left join rate_plans plan
        on plan.org_id = unit.org_id
        and plan.unit_id = unit.id
        and ${isRequestedPlan}
      where unit.org_id = ${scope.orgId}
        and unit.id = any(${unitIds}::uuid[])
        and unit.deleted_at is null`,
  )
  return found.map((stay) => ({
    ...stay,
    nights: stay.nights.slice(0, -1),
    departure: stay.nights.at(-1) as StayNight,
  }))
}
