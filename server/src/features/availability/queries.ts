import { sql, type RawBuilder } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { isAnyOf, type PageRequest } from '#http/paging.ts'
import type { AvailabilityQuery } from './availability.ts'

/** A unit with a room free on every night, as far as the stretches say, that is all that was asked. */
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

/** Behind which unit of the order to go on. */
export type Place = PageRequest['after']
export interface Order {
  readonly sort: string
  readonly after: Place
}

/**
 * The next units of the order, at most `size`, and those of them that fit. Every look-up is forced to be by a key, one
 * by one: the planner, which cannot know how many fit, might read all spaces or stretches at once.
 */
export async function walk(scope: Scope, asked: AvailabilityQuery, order: Order, size: number) {
  const found = await rows(
    scope,
    sql<Candidate & { fits: boolean; looked: number }>`
      with step as materialized (
        select ${unitColumns(order)}, row_number() over (order by ${sorting(order)}) as position
        from units u where u.org_id = ${scope.orgId}${behind(order)} order by ${sorting(order)} limit ${sql.lit(size)})
      select ${candidate}, ${fits(asked)} as fits, (select count(*)::int from step) as looked
      from step u ${itsSpace(scope)}
      where ${fits(asked)} or u.position = (select count(*) from step) order by u.position`,
  )
  const last = found.at(-1)
  return {
    fitting: found.filter(({ fits }) => fits),
    looked: last?.looked ?? 0,
    until: last ? { value: last.sort_value, id: last.id } : null,
  }
}

/**
 * The first units that fit, of those that a source names; undefined when it names more than `most`, which is found out at
 * the price of so many.
 */
export async function gather(
  scope: Scope,
  asked: AvailabilityQuery,
  order: Order,
  source: RawBuilder<{ unit_id: string }>,
  { most, shown }: { most: number; shown: number },
): Promise<Candidate[] | undefined> {
  const found = await rows(
    scope,
    sql<Candidate & { named: number | null }>`
      with named as materialized (select n.unit_id from (${source}) n limit ${sql.lit(most + 1)}),
      fitting as (
        select ${candidate} from named n
        cross join lateral (select ${unitColumns(order)} from units u
          where u.org_id = ${scope.orgId} and u.id = n.unit_id${behind(order)} offset 0) u
        ${itsSpace(scope)}
        where (select count(*) from named) <= ${sql.lit(most)} and ${fits(asked)}
        order by ${sorting(order)} limit ${sql.lit(shown)})
      select f.*, null::int as named from fitting f
      union all select null, null, null, null, null, null, null, null, null, (select count(*)::int from named)`,
  )
  return found.pop()!.named! > most ? undefined : found
}

/**
 * Units with a stretch over the whole stay: for each day on which any stretch ends, those that have begun in time. So
 * many steps as there are such days from the departure on, however many units there are.
 */
export const freeThroughout = (scope: Scope, { from, to }: AvailabilityQuery) => sql<{ unit_id: string }>`
  with recursive days (day) as (
    (select f.end_night from free_stretches f where f.org_id = ${scope.orgId} and f.end_night >= ${to}::date
      order by f.end_night limit 1)
    union all
    select (select f.end_night from free_stretches f where f.org_id = ${scope.orgId} and f.end_night > d.day
      order by f.end_night limit 1) from days d where d.day < 'infinity')
  select f.unit_id from days d cross join lateral (select f.unit_id from free_stretches f
    where f.org_id = ${scope.orgId} and f.end_night = d.day and f.first_night <= ${from}::date offset 0) f`

export const inSpaces = (scope: Scope, spaceIds: readonly string[]) => sql<{ unit_id: string }>`
  select u.id as unit_id from units u where u.org_id = ${scope.orgId} and ${isAnyOf(sql`u.space_id`, spaceIds)}`

export const onlyUnits = (unitIds: readonly string[]) =>
  sql<{ unit_id: string }>`select distinct unnest(${unitIds}::uuid[]) as unit_id`

export const atPlace = (scope: Scope, place: string) => sql<{ unit_id: string }>`
  select u.unit_id from (${sql.join(
    placeKeys.map(
      (key) => sql`select s.id from spaces s where s.org_id = ${scope.orgId} and ${beginsWith(key, place)}`,
    ),
    sql` union `,
  )}) s
  cross join lateral (select u.id as unit_id from units u where u.org_id = ${scope.orgId} and u.space_id = s.id offset 0) u`

const placeKeys = ['name_key', 'city_key', 'state_key', 'country_key'] as const
/** Compared as bytes from the text up to the last character behind it: an index can, and so may row-level security. */
const beginsWith = (key: string, place: string) => {
  const column = sql.ref(`s.${key}`)
  return sql`${column} >= lower(${place}::text) and ${column} < lower(${place}::text) || chr(1114111)`
}

const unitColumns = ({ sort }: Order) =>
  sql`u.org_id, u.id, u.${sql.ref(sort.replace(/^-/, ''))} as sort_value, u.created_at, u.name, u.account_id, u.space_id,
    u.type, u.status, u.max_guests, u.quantity, u.currency`
const candidate = sql`u.id, u.sort_value, u.name, u.space_id, s.name as space_name, s.city, s.country, u.type, u.max_guests`
const itsSpace = ({
  orgId,
}: Scope) => sql`cross join lateral (select s.name, s.city, s.country, s.status, s.name_key,
  s.city_key, s.state_key, s.country_key from spaces s where s.org_id = ${orgId} and s.id = u.space_id offset 0) s`

function fits(asked: AvailabilityQuery): RawBuilder<unknown> {
  const { guests = 1, rooms = 1, place, from, to, currency } = asked
  const { org_id, account_id, space_id, unit_id, type } = asked
  const columns = { org_id, account_id, space_id, id: unit_id, type }
  const parts = [
    sql`u.status = 'active' and s.status = 'active' and u.quantity >= ${rooms}::int`,
    sql`u.max_guests::bigint * ${rooms}::int >= ${guests}::int`,
    ...Object.entries(columns).flatMap(([name, values]) =>
      values === undefined ? [] : [isAnyOf(sql.ref(`u.${name}`), values)],
    ),
    ...(currency === undefined ? [] : [sql`u.currency = ${currency}`]),
    ...(place === undefined
      ? []
      : [
          sql`(${sql.join(
            placeKeys.map((key) => beginsWith(key, place)),
            sql` or `,
          )})`,
        ]),
    // Stretches of a unit do not meet, so only the last that has begun can reach.
    sql`coalesce((select f.end_night from free_stretches f where f.org_id = u.org_id and f.unit_id = u.id
      and f.first_night <= ${from}::date order by f.first_night desc limit 1) >= ${to}::date, false)`,
  ]
  return sql`(${sql.join(parts, sql` and `)})`
}

function sorting({ sort }: Order) {
  const direction = sort.startsWith('-') ? sql.raw('desc') : sql.raw('asc')
  return sql`u.${sql.ref(sort.replace(/^-/, ''))} ${direction}, u.id ${direction}`
}

function behind({ sort, after }: Order) {
  if (!after) return sql``
  const column = sort.replace(/^-/, '')
  const type = column === 'name' ? sql.raw('text') : sql.raw('timestamptz')
  const comparison = sort.startsWith('-') ? sql.raw('<') : sql.raw('>')
  return sql` and (u.${sql.ref(column)}, u.id) ${comparison} (cast(${after.value} as ${type}), cast(${after.id} as uuid))`
}
