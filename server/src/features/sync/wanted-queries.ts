import { sql, type RawBuilder } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import type { Wanted } from './content.ts'
import type { MonthValues } from './month-values.ts'

/** What the operator has decided for one unit, as it stands when it is pushed. */
export interface WantedUnit extends Wanted {
  unit_id: string
  plans: { id: string; name: string; is_default: boolean; is_sold: boolean }[]
  /** Whether a sales stop holds for it at this target. */
  stopped: boolean
  min_price_cents: number | null
}

type UnitRow = WantedUnit['unit'] &
  Pick<WantedUnit, 'unit_id' | 'plans' | 'stopped' | 'min_price_cents'> & {
    space_id: string
    space: WantedUnit['space'] | null
  }

/**
 * The units of a property lie in few spaces, which are put together, sent and read once each, with one of their units;
 * and what a unit has is told by columns, because making an object of it costs PostgreSQL as much as finding it.
 */
export async function wantedUnits(
  scope: Scope,
  targetId: string,
  unitIds: readonly string[],
): Promise<WantedUnit[]> {
  const found = await rows(
    scope,
    sql<UnitRow>`with s as materialized (
        select s.id, json_build_object('name', s.name, 'address', s.address, 'city', s.city, 'state', s.state,
          'zip', s.zip, 'country', s.country, 'timezone', s.timezone, 'description', s.description,
          'amenities', s.amenities, 'photos', ${photos('s', sql`m.space_id = s.id and m.unit_id is null`)},
          'status', s.status) as space
        from spaces s where s.org_id = ${scope.orgId} and s.id in (
          select space_id from units where org_id = ${scope.orgId} and id = any(${unitIds}::uuid[])))
      select u.id as unit_id, u.name, u.type, u.bedrooms, u.bathrooms::float8, u.max_guests, u.quantity,
        u.base_price_cents::float8, u.min_price_cents::float8, u.currency, u.status, ${photos('u', sql`m.unit_id = u.id`)} as photos, u.space_id,
        case when row_number() over (partition by u.space_id) = 1 then s.space end as space,
        (select json_agg(json_build_object('id', p.id, 'name', p.name, 'is_default', p.is_default,
            'is_sold', p.status = 'active') order by p.created_at, p.id)
          from rate_plans p where p.org_id = u.org_id and p.unit_id = u.id) as plans,
        exists (select 1 from sales_stops x where x.org_id = u.org_id and x.lifted_at is null
          and (x.space_id is null or x.space_id = u.space_id) and (x.unit_id is null or x.unit_id = u.id)
          and (x.channel_target_id is null or x.channel_target_id = ${targetId})) as stopped
      from units u join s on s.id = u.space_id
      where u.org_id = ${scope.orgId} and u.id = any(${unitIds}::uuid[])`,
  )
  const spaces = new Map(found.flatMap(({ space_id, space }) => (space ? [[space_id, space]] : [])))
  return found.map(({ unit_id, space_id, space: _, plans, stopped, min_price_cents, ...unit }) => ({
    unit_id,
    unit,
    space: spaces.get(space_id)!,
    plans,
    stopped,
    min_price_cents,
  }))
}

const mostPhotos = 100

/** By their paths with us. What not every PMS can show is shown by its rendition. */
const photos = (owner: 'u' | 's', whose: RawBuilder<unknown>) =>
  sql`(select coalesce(json_agg(json_build_object('url', p.url, 'description', p.description) order by p.place, p.id), '[]')
    from (select case when m.content_type in ('image/jpeg', 'image/png') then '/media/' || m.key
        else m.renditions->-1->>'url' end as url, m.description, m."position" as place, m.id
      from media m where m.org_id = ${sql.raw(owner)}.org_id and ${whose} and m.content_type like 'image/%'
      order by m."position", m.id limit ${mostPhotos}) p)`

/** The nights of one unit that are looked at. */
export interface Window {
  unit_id: string
  first_night: string
  last_night: string
}

const windowsOf = (windows: readonly Window[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(windows)}::jsonb) as w (unit_id uuid, first_night date, last_night date)`

/** What is taken: by unit, [night from the first, rooms booked and blocked]. */
export const takenNights = (scope: Scope, windows: readonly Window[]) =>
  rows(
    scope,
    sql<{ unit_id: string; nights: [number, number][] }>`
      select w.unit_id, json_agg(json_build_array(t.night - w.first_night, t.booked + t.blocked)) as nights
      from ${windowsOf(windows)}, lateral nights_taken(${scope.orgId}, array[w.unit_id], w.first_night, w.last_night) t
      group by w.unit_id`,
  )

/** What is decided: by plan, [night from the first, and the terms in the order of `termNames`]. */
export const decidedNights = (scope: Scope, windows: readonly Window[]) =>
  rows(
    scope,
    sql<{ rate_plan_id: string; nights: [number, ...(number | boolean | null)[]][] }>`
      select c.rate_plan_id, json_agg(json_build_array(c.night - w.first_night, c.price_cents, c.min_stay_arrival,
        c.min_stay_through, c.max_stay, c.closed_to_arrival, c.closed_to_departure, c.stop_sell)) as nights
      from ${windowsOf(windows)} join calendar_nights c
        on c.org_id = ${scope.orgId} and c.unit_id = w.unit_id and c.night between w.first_night and w.last_night
      group by c.rate_plan_id`,
  )

/** What the PMS took, by listing and month. */
export const acceptedMonths = (
  scope: Scope,
  windows: readonly { listing_id: string; first_night: string; last_night: string }[],
) =>
  rows(
    scope,
    sql<{ listing_id: string; month: string; nights: MonthValues }>`
      select a.channel_listing_id as listing_id, a.month, a.nights
      from jsonb_to_recordset(${JSON.stringify(windows)}::jsonb)
        as w (listing_id uuid, first_night date, last_night date)
      join accepted_months a on a.org_id = ${scope.orgId} and a.channel_listing_id = w.listing_id
        and a.month between date_trunc('month', w.first_night) and w.last_night`,
  )
