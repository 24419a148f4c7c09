import { nightOf } from '#schema/nights.ts'
import { termNames, type PlanLink, type TermName } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { emptyGrid, emptyTerms, type CalendarGrid, type CellValue } from './calendar-grid.ts'
import { sql, type Fragment } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import type { DesiredFacts } from './content.ts'

/** The defaults of a night of a plan, in the order of `termNames`, without the price. */
const defaults = {
  min_stay_arrival: 1,
  min_stay_through: 1,
  max_stay: 0,
  closed_to_arrival: 0,
  closed_to_departure: 0,
}

interface DesiredNights {
  first_night: string
  last_night: string
  taken: readonly [number, number][]
  /** By plan. */
  decided: ReadonlyMap<string, readonly [number, ...(number | boolean | null)[]][]>
}

/** The calendar that the PMS must show for a unit: rooms, and the terms of each linked plan. */
export function buildDesiredGrid(
  unit: DesiredUnit,
  links: readonly PlanLink[],
  provider: Provider,
  { first_night, last_night, taken, decided }: DesiredNights,
): CalendarGrid {
  const first = nightOf(first_night)
  const count = nightOf(last_night) - first + 1
  const values = emptyGrid(first, count)
  const isOpen = unit.unit.status === 'active' && unit.space.status === 'active'
  const { quantity } = unit.unit
  values.rooms.fill(isOpen ? quantity : 0)
  if (isOpen) for (const [night, rooms] of taken) values.rooms[night] = Math.max(0, quantity - rooms)

  for (const { plan } of links) {
    const facts = unit.plans.find(({ id }) => id === plan)
    const terms = emptyTerms(count)
    terms.price_cents.fill(unit.unit.base_price_cents)
    for (const [term, value] of Object.entries(defaults)) terms[term as keyof typeof defaults].fill(value)
    const isStopped = unit.stopped || facts?.status !== 'active'
    terms.stop_sell.fill(isStopped ? 1 : 0)
    for (const [night, ...given] of decided.get(plan) ?? [])
      termNames.forEach((term, column) => {
        const value = given[column]
        if (value === null || value === undefined) return
        terms[term][night] = term === 'stop_sell' && isStopped ? 1 : Number(value)
      })
    closeBelowMinimum(terms, unit.min_price_cents)
    values.plans.set(plan, terms)
  }
  if (provider.stopSellAsNoRooms) stopsToRooms(values)
  return values
}

/**
 * A price below the minimum is never pushed: the night is closed instead. Such nights exist only after a change of
 * the time zone, or from a release without minimum prices.
 */
function closeBelowMinimum(terms: Record<TermName, CellValue[]>, minimum: number | null): void {
  if (minimum === null) return
  terms.price_cents.forEach((price, night) => {
    if (price! >= minimum) return
    terms.price_cents[night] = minimum
    terms.stop_sell[night] = 1
  })
}

/** For a PMS without stop sell: a stopped night has no rooms. */
function stopsToRooms({ rooms, plans }: CalendarGrid): void {
  for (const { stop_sell } of plans.values())
    stop_sell.forEach((stopped, night) => {
      if (stopped === 1) rooms[night] = 0
    })
}

/** The current values of a unit that the PMS should have. */
export interface DesiredUnit extends DesiredFacts {
  unit_id: string
  plans: { id: string; name: string; is_default: boolean; status: string }[]
  /** Whether a sales stop is in force for the unit at this target. */
  stopped: boolean
  min_price_cents: number | null
}

type UnitRow = DesiredUnit['unit'] &
  Pick<DesiredUnit, 'unit_id' | 'plans' | 'stopped' | 'min_price_cents'> & {
    space_id: string
    space: DesiredUnit['space'] | null
  }

/**
 * Many units share few spaces, so each space is built once and returned with one of its units. The members of a unit are
 * columns, because building JSON would take PostgreSQL as long as finding the unit.
 */
export async function listDesiredUnits(
  scope: Scope,
  targetId: string,
  unitIds: readonly string[],
): Promise<DesiredUnit[]> {
  const found = await rows(
    scope,
    sql<UnitRow>`
      with space as materialized (
        select space.id, json_build_object(
          'name', space.name,
          'address', space.address,
          'city', space.city,
          'state', space.state,
          'zip', space.zip,
          'country', space.country,
          'timezone', space.timezone,
          'description', space.description,
          'amenities', space.amenities,
          'photos', ${photosOf('space', sql`media.space_id = space.id and media.unit_id is null`)},
          'status', space.status) as content
        from spaces space
        where space.org_id = ${scope.orgId}
          and space.id in (
            select space_id
            from units
            where org_id = ${scope.orgId}
              and id = any(${unitIds}::uuid[])))
      select unit.id as unit_id, unit.name, unit.type, unit.bedrooms, unit.bathrooms::float8, unit.max_guests,
        unit.quantity, unit.base_price_cents::float8, unit.min_price_cents::float8, unit.currency, unit.status,
        ${photosOf('unit', sql`media.unit_id = unit.id`)} as photos, unit.space_id,
        case when row_number() over (partition by unit.space_id) = 1 then space.content end as space,
        (
          select json_agg(
            json_build_object('id', plan.id, 'name', plan.name, 'is_default', plan.is_default,
              'status', plan.status)
            order by plan.created_at, plan.id)
          from rate_plans plan
          where plan.org_id = unit.org_id
            and plan.unit_id = unit.id) as plans,
        exists (
          select 1
          from sales_stops stop
          where stop.org_id = unit.org_id
            and stop.lifted_at is null
            and (stop.space_id is null or stop.space_id = unit.space_id)
            and (stop.unit_id is null or stop.unit_id = unit.id)
            and (stop.channel_target_id is null or stop.channel_target_id = ${targetId})) as stopped
      from units unit
      join space
        on space.id = unit.space_id
      where unit.org_id = ${scope.orgId}
        and unit.id = any(${unitIds}::uuid[])`,
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

const maxPhotos = 100

/** Photos with their paths in our API. For formats that some PMSs do not support, the path is that of a rendition. */
const photosOf = (owner: 'unit' | 'space', condition: Fragment) =>
  sql`(
    select coalesce(
      json_agg(json_build_object('url', photo.url, 'description', photo.description) order by photo.place, photo.id),
      '[]')
    from (
      select media.id, media.description, media."position" as place,
        case
          when media.content_type in ('image/jpeg', 'image/png') then '/media/' || media.key
          else media.renditions->-1->>'url'
        end as url
      from media
      where media.org_id = ${sql.raw(owner)}.org_id
        and ${condition}
        and media.content_type like 'image/%'
        -- The PMS has photos that were imported from it, and keeps those that are not ours.
        and media.source_url is null
      order by media."position", media.id
      limit ${maxPhotos}) photo)`

/** A range of nights of one unit. */
export interface NightWindow {
  unit_id: string
  first_night: string
  last_night: string
}

/** The planner expects a hundred; `offset 0` makes it look up what belongs to each instead of reading all of a table. */
const windowRows = (windows: readonly NightWindow[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(windows)}::jsonb) as night_window (unit_id uuid, first_night date, last_night date)`

/** The unavailable rooms by unit, as [days from the first night, booked and blocked rooms]. */
export const listTakenNights = (scope: Scope, windows: readonly NightWindow[]) =>
  rows(
    scope,
    sql<{ unit_id: string; nights: [number, number][] }>`
      select night_window.unit_id,
        json_agg(json_build_array(taken.night - night_window.first_night, taken.booked + taken.blocked)) as nights
      from ${windowRows(windows)},
        lateral nights_taken(
          ${scope.orgId}, array[night_window.unit_id], night_window.first_night, night_window.last_night) taken
      group by night_window.unit_id`,
  )

/** The terms that are set, by plan, as [days from the first night, terms in the order of `termNames`]. */
export const listDecidedNights = (scope: Scope, windows: readonly NightWindow[]) =>
  rows(
    scope,
    sql<{ rate_plan_id: string; nights: [number, ...(number | boolean | null)[]][] }>`
      select calendar.rate_plan_id,
        json_agg(json_build_array(calendar.night - night_window.first_night, calendar.price_cents,
          calendar.min_stay_arrival, calendar.min_stay_through, calendar.max_stay, calendar.closed_to_arrival,
          calendar.closed_to_departure, calendar.stop_sell)) as nights
      from ${windowRows(windows)}
      cross join lateral (
        select *
        from calendar_nights
        where org_id = ${scope.orgId}
          and unit_id = night_window.unit_id
          and night between night_window.first_night and night_window.last_night
        offset 0) calendar
      group by calendar.rate_plan_id`,
  )
