import { sql, type RawBuilder } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { matchesAny, type PageRequest } from '#db/paging.ts'
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
  readonly max_guests: number
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
        from units u where u.org_id = ${scope.orgId}${afterPosition(order)} order by ${orderBy(order)} limit ${sql.lit(size)})
      select ${candidateColumns}, ${fits(query)} as fits, (select count(*)::int from page) as scanned_count
      from page u ${joinSpace(scope)}
      where ${fits(query)} or u.position = (select count(*) from page) order by u.position`,
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
  source: RawBuilder<{ unit_id: string }>,
  { maxUnits, maxKept }: { maxUnits: number; maxKept: number },
): Promise<Candidate[] | undefined> {
  const found = await rows(
    scope,
    sql<Candidate & { source_count: number | null }>`
      with source as materialized (select n.unit_id from (${source}) n limit ${sql.lit(maxUnits + 1)}),
      matching as (
        select ${candidateColumns} from source n
        cross join lateral (select ${unitColumns(order)} from units u
          where u.org_id = ${scope.orgId} and u.id = n.unit_id${afterPosition(order)} offset 0) u
        ${joinSpace(scope)}
        where (select count(*) from source) <= ${sql.lit(maxUnits)} and ${fits(query)}
        order by ${orderBy(order)} limit ${sql.lit(maxKept)})
      select f.*, null::int as source_count from matching f
      union all select null, null, null, null, null, null, null, null, null, (select count(*)::int from source)`,
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
    (select f.end_night from free_stretches f where f.org_id = ${scope.orgId} and f.end_night >= ${to}::date
      order by f.end_night limit 1)
    union all
    select (select f.end_night from free_stretches f where f.org_id = ${scope.orgId} and f.end_night > d.day
      order by f.end_night limit 1) from days d where d.day < 'infinity')
  select f.unit_id from days d cross join lateral (select f.unit_id from free_stretches f
    where f.org_id = ${scope.orgId} and f.end_night = d.day and f.first_night <= ${from}::date offset 0) f`

export const unitsInSpaces = (scope: Scope, spaceIds: readonly string[]) => sql<{ unit_id: string }>`
  select u.id as unit_id from units u where u.org_id = ${scope.orgId} and ${matchesAny(sql`u.space_id`, spaceIds)}`

export const unitsById = (unitIds: readonly string[]) =>
  sql<{ unit_id: string }>`select distinct unnest(${unitIds}::uuid[]) as unit_id`

export const unitsAtPlace = (scope: Scope, place: string) => sql<{ unit_id: string }>`
  select u.unit_id from (${sql.join(
    placeKeys.map(
      (key) => sql`select s.id from spaces s where s.org_id = ${scope.orgId} and ${startsWith(key, place)}`,
    ),
    sql` union `,
  )}) s
  cross join lateral (select u.id as unit_id from units u where u.org_id = ${scope.orgId} and u.space_id = s.id offset 0) u`

const placeKeys = ['name_key', 'city_key', 'state_key', 'country_key'] as const
/** A range of bytes instead of `like`: it uses the index, and is leakproof as row-level security requires. */
const startsWith = (key: string, place: string) => {
  const column = sql.ref(`s.${key}`)
  return sql`${column} >= lower(${place}::text) and ${column} < lower(${place}::text) || chr(1114111)`
}

const unitColumns = ({ sort }: Order) =>
  sql`u.org_id, u.id, u.${sql.ref(sort.replace(/^-/, ''))} as sort_value, u.created_at, u.name, u.account_id, u.space_id,
    u.type, u.status, u.max_guests, u.quantity, u.currency`
const candidateColumns = sql`u.id, u.sort_value, u.name, u.space_id, s.name as space_name, s.city, s.country, u.type, u.max_guests`
const joinSpace = ({
  orgId,
}: Scope) => sql`cross join lateral (select s.name, s.city, s.country, s.status, s.name_key,
  s.city_key, s.state_key, s.country_key from spaces s where s.org_id = ${orgId} and s.id = u.space_id offset 0) s`

function fits(query: AvailabilityQuery): RawBuilder<unknown> {
  const { guests = 1, rooms = 1, place, from, to, currency } = query
  const { org_id, account_id, space_id, unit_id, type } = query
  const columns = { org_id, account_id, space_id, id: unit_id, type }
  const parts = [
    sql`u.status = 'active' and s.status = 'active' and u.quantity >= ${rooms}::int`,
    sql`u.max_guests::bigint * ${rooms}::int >= ${guests}::int`,
    ...Object.entries(columns).flatMap(([name, values]) =>
      values === undefined ? [] : [matchesAny(sql.ref(`u.${name}`), values)],
    ),
    ...(currency === undefined ? [] : [sql`u.currency = ${currency}`]),
    ...(place === undefined
      ? []
      : [
          sql`(${sql.join(
            placeKeys.map((key) => startsWith(key, place)),
            sql` or `,
          )})`,
        ]),
    // Stretches of a unit do not overlap: only the last that begins in time can cover the stay.
    sql`coalesce((select f.end_night from free_stretches f where f.org_id = u.org_id and f.unit_id = u.id
      and f.first_night <= ${from}::date order by f.first_night desc limit 1) >= ${to}::date, false)`,
  ]
  return sql`(${sql.join(parts, sql` and `)})`
}

function orderBy({ sort }: Order) {
  const direction = sort.startsWith('-') ? sql.raw('desc') : sql.raw('asc')
  return sql`u.${sql.ref(sort.replace(/^-/, ''))} ${direction}, u.id ${direction}`
}

function afterPosition({ sort, after }: Order) {
  if (!after) return sql``
  const column = sort.replace(/^-/, '')
  const type = column === 'name' ? sql.raw('text') : sql.raw('timestamptz')
  const comparison = sort.startsWith('-') ? sql.raw('<') : sql.raw('>')
  return sql` and (u.${sql.ref(column)}, u.id) ${comparison} (cast(${after.value} as ${type}), cast(${after.id} as uuid))`
}
