import { sql, type Fragment, type Statement } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import { matchesAny, orderColumn, type PageRequest } from '#db/paging.ts'
import type { AvailabilityQuery } from './availability.ts'

/** A unit that matches the filters and has a room on every night, according to free_stretches. */
export interface Candidate {
  readonly id: string
  readonly sort_value: string
  readonly name: string
  readonly space_id: string
  readonly space_name: string
  readonly city: string | null
  readonly country: string | null
  readonly type: string
}

/** The last unit of the previous batch; null for the first batch. */
export type PagePosition = PageRequest['after']
export interface Order {
  readonly sort: string
  readonly after: PagePosition
}

/**
 * Reads the next `size` units in order and returns those that match. The lateral joins with `offset 0` force look-ups
 * by key: the planner cannot know how many units match, and might read all spaces or stretches at once.
 */
export async function scanUnits(scope: Scope, query: AvailabilityQuery, order: Order, size: number) {
  const found = await rows(
    scope,
    sql<Candidate & { fits: boolean; scanned_count: number }>`
      with page as materialized (
        select ${unitColumns(order)}, row_number() over (order by ${orderBy(order)}) as position
        from units unit
        where unit.org_id = ${scope.orgId}${afterPosition(order)}
        order by ${orderBy(order)}
        limit ${sql.lit(size)})
      select ${candidateColumns}, checked.fits, (select count(*)::int from page) as scanned_count
      from page unit
      ${joinSpace(scope)}
      cross join lateral (
        select ${fits(query)} as fits
        offset 0) checked
      where checked.fits or unit.position = (select count(*) from page)
      order by unit.position`,
  )
  const last = found.at(-1)
  return {
    matching: found.filter(({ fits }) => fits),
    scannedCount: last?.scanned_count ?? 0,
    nextPosition: last ? { value: last.sort_value, id: last.id } : null,
  }
}

/**
 * Returns the first `maxKept` matching units of a source; undefined when the source has more than `maxUnits`, which
 * costs reading that many.
 */
export async function collectUnits(
  scope: Scope,
  query: AvailabilityQuery,
  order: Order,
  source: Statement<{ unit_id: string }>,
  { maxUnits, maxKept }: { maxUnits: number; maxKept: number },
): Promise<Candidate[] | undefined> {
  const found = await rows(
    scope,
    sql<Candidate & { source_count: number | null }>`
      with source as materialized (
        select chosen.unit_id
        from (${source}) chosen
        limit ${sql.lit(maxUnits + 1)}),
      matching as (
        select ${candidateColumns}
        from source chosen
        cross join lateral (
          select ${unitColumns(order)}
          from units unit
          where unit.org_id = ${scope.orgId} and unit.id = chosen.unit_id${afterPosition(order)}
          offset 0) unit
        ${joinSpace(scope)}
        where (select count(*) from source) <= ${sql.lit(maxUnits)} and ${fits(query)}
        order by ${orderBy(order)}
        limit ${sql.lit(maxKept)})
      select matching.*, null::int as source_count
      from matching
      union all
      select null, null, null, null, null, null, null, null, (select count(*)::int from source)`,
  )
  return found.pop()!.source_count! > maxUnits ? undefined : found
}

/**
 * Units with a stretch over the whole stay: for each day from the departure on that ends a stretch, the stretches that
 * begin in time. The cost depends on the number of such days, not of units.
 */
export const unitsFreeThroughout = (scope: Scope, { from, to }: AvailabilityQuery) => sql<{
  unit_id: string
}>`
  with recursive days (day) as (
    (
      select stretch.end_night
      from free_stretches stretch
      where stretch.org_id = ${scope.orgId} and stretch.end_night >= ${to}::date
      order by stretch.end_night
      limit 1)
    union all
    select (
      select stretch.end_night
      from free_stretches stretch
      where stretch.org_id = ${scope.orgId} and stretch.end_night > days.day
      order by stretch.end_night
      limit 1)
    from days
    where days.day < 'infinity')
  select free.unit_id
  from days
  cross join lateral (
    select stretch.unit_id
    from free_stretches stretch
    where stretch.org_id = ${scope.orgId}
      and stretch.end_night = days.day
      and stretch.first_night <= ${from}::date
    offset 0) free`

export const unitsInSpaces = (scope: Scope, spaceIds: readonly string[]) => sql<{ unit_id: string }>`
  select unit.id as unit_id
  from units unit
  where unit.org_id = ${scope.orgId} and ${matchesAny(sql`unit.space_id`, spaceIds)}`

export const unitsOfTypes = (scope: Scope, types: readonly string[]) => sql<{ unit_id: string }>`
  select unit.id as unit_id
  from units unit
  where unit.org_id = ${scope.orgId}
    and unit.deleted_at is null
    and unit.status = 'active'
    and ${matchesAny(sql`unit.type`, types)}`

export const unitsById = (unitIds: readonly string[]) =>
  sql<{ unit_id: string }>`select distinct unnest(${unitIds}::uuid[]) as unit_id`

export const unitsAtPlace = (scope: Scope, place: string) => sql<{ unit_id: string }>`
  select unit.unit_id
  from (${sql.join(
    placeKeys.map(
      (key) => sql`
        select space.id
        from spaces space
        where space.org_id = ${scope.orgId} and ${startsWith(key, place)}`,
    ),
    ' union ',
  )}) space
  cross join lateral (
    select unit.id as unit_id
    from units unit
    where unit.org_id = ${scope.orgId} and unit.space_id = space.id
    offset 0) unit`

const placeKeys = ['name_key', 'city_key', 'state_key', 'country_key'] as const
/** A range of bytes instead of `like`: it uses the index, and is leakproof as row-level security requires. */
const startsWith = (key: string, place: string) => {
  const column = sql.ref(`space.${key}`)
  return sql`${column} >= lower(${place}::text) and ${column} < lower(${place}::text) || chr(1114111)`
}

const unitColumns = ({ sort }: Order) => sql`
  unit.org_id, unit.id, unit.${sql.ref(orderColumn('unit', sort))} as sort_value, unit.created_at, unit.name, unit.name_order,
  unit.account_id, unit.space_id, unit.type, unit.status, unit.max_guests, unit.quantity, unit.currency`
const candidateColumns = sql`
  unit.id, unit.sort_value, unit.name, unit.space_id, space.name as space_name, space.city, space.country,
  unit.type`
const joinSpace = ({ orgId }: Scope) => sql`
  cross join lateral (
    select space.name, space.city, space.country, space.status, space.name_key, space.city_key, space.state_key,
      space.country_key
    from spaces space
    where space.org_id = ${orgId} and space.id = unit.space_id
    offset 0) space`

function fits(query: AvailabilityQuery): Fragment {
  const { guests = 1, rooms = 1, place, from, to, currency } = query
  const { org_id, account_id, space_id, unit_id, type } = query
  const columns = { org_id, account_id, space_id, id: unit_id, type }
  const parts = [
    sql`unit.status = 'active' and space.status = 'active' and unit.quantity >= ${rooms}::int`,
    sql`unit.max_guests::bigint * ${rooms}::int >= ${guests}::int`,
    ...Object.entries(columns).flatMap(([name, values]) =>
      values === undefined ? [] : [matchesAny(sql.ref(`unit.${name}`), values)],
    ),
    ...(currency === undefined ? [] : [sql`unit.currency = ${currency}`]),
    ...(place === undefined
      ? []
      : [
          sql`(${sql.join(
            placeKeys.map((key) => startsWith(key, place)),
            ' or ',
          )})`,
        ]),
    // Stretches of a unit do not overlap: only the last that begins in time can cover the stay.
    sql`coalesce((
      select stretch.end_night
      from free_stretches stretch
      where stretch.org_id = unit.org_id
        and stretch.unit_id = unit.id
        and stretch.first_night <= ${from}::date
      order by stretch.first_night desc
      limit 1) >= ${to}::date, false)`,
  ]
  return sql`(${sql.join(parts, ' and ')})`
}

function orderBy({ sort }: Order) {
  const direction = sort.startsWith('-') ? sql.raw('desc') : sql.raw('asc')
  return sql`unit.${sql.ref(orderColumn('unit', sort))} ${direction}, unit.id ${direction}`
}

function afterPosition({ sort, after }: Order) {
  if (!after) return sql``
  const column = orderColumn('unit', sort)
  const type = column === 'name_order' ? sql.raw('text') : sql.raw('timestamptz')
  const comparison = sort.startsWith('-') ? sql.raw('<') : sql.raw('>')
  const place = sql`(cast(${after.value} as ${type}), cast(${after.id} as uuid))`
  return sql` and (unit.${sql.ref(column)}, unit.id) ${comparison} ${place}`
}
