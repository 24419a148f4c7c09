import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'

/** The free rooms of a unit from one night on: booked, blocked, and why they are blocked. */
export type Taken = readonly [day: number, booked: number, blocked: number, reason: string | null]

/** What is decided for a night of a plan, in the order of `termNames`; null is the default. */
export type Decided = readonly [
  day: number,
  price_cents: number | null,
  min_stay_arrival: number | null,
  min_stay_through: number | null,
  max_stay: number | null,
  closed_to_arrival: boolean | null,
  closed_to_departure: boolean | null,
  stop_sell: boolean | null,
]

export interface TileRow {
  readonly unit_id: string
  readonly quantity: number
  readonly base_price_cents: number
  /** Whether unit and space are active. */
  readonly open: boolean
  readonly stopped: boolean
  readonly taken: readonly Taken[]
  readonly plans: readonly {
    readonly id: string
    readonly active: boolean
    readonly days: readonly Decided[]
  }[]
}

/**
 * What differs from the defaults, night by night, of some units by id or of all units of a space: one statement.
 * Nights of which nothing is decided have no row here either; `tile.ts` fills them in. The nights are asked for plan
 * by plan: joined, 50 units took 770 ms instead of 50, because the planner cannot know how many they are.
 */
export const readTile = (
  scope: Scope,
  of: { unitIds: readonly string[] } | { spaceId: string },
  nights: { from: string; to: string },
  most: number,
) => {
  const chosen =
    'spaceId' in of ? sql`u.space_id = ${of.spaceId}` : sql`u.id = any(${[...of.unitIds]}::uuid[])`
  const [from, to] = [sql`${nights.from}::date`, sql`${nights.to}::date`]
  return rows(
    scope,
    sql<TileRow>`
      with chosen as materialized (
        select u.id, u.name, u.quantity, u.base_price_cents, u.status = 'active' and s.status = 'active' as open,
          exists (select 1 from sales_stops x where x.org_id = u.org_id and x.lifted_at is null
            and x.channel_target_id is null and coalesce(x.space_id, u.space_id) = u.space_id
            and coalesce(x.unit_id, u.id) = u.id) as stopped
        from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
        where u.org_id = ${scope.orgId} and u.deleted_at is null and ${chosen} order by u.name, u.id limit ${most}),
      taken as materialized (
        select t.unit_id, json_agg(json_build_array(t.night - date '1970-01-01', t.booked, t.blocked,
          case when t.blocked > 0 then (select string_agg(b.reason, '; ' order by b.source) from calendar_blocks b
            where b.org_id = ${scope.orgId} and b.unit_id = t.unit_id and b.night = t.night) end) order by t.night) as days
        from nights_taken(${scope.orgId}, array(select id from chosen), ${from}, ${to}) t
        group by t.unit_id)
      select c.id as unit_id, c.quantity, c.base_price_cents, c.open, c.stopped, coalesce(t.days, '[]') as taken,
        (select json_agg(json_build_object('id', p.id, 'active', p.status = 'active', 'days',
            (select coalesce(json_agg(json_build_array(n.night - date '1970-01-01', n.price_cents, n.min_stay_arrival,
              n.min_stay_through, n.max_stay, n.closed_to_arrival, n.closed_to_departure, n.stop_sell)
              order by n.night), '[]') from calendar_nights n
            where n.org_id = ${scope.orgId} and n.unit_id = c.id and n.rate_plan_id = p.id
              and n.night between ${from} and ${to})) order by p.is_default desc, p.created_at, p.id)
          from rate_plans p where p.org_id = ${scope.orgId} and p.unit_id = c.id and p.status <> 'archived') as plans
      from chosen c left join taken t on t.unit_id = c.id
      order by c.name, c.id`,
  )
}

export const spaceExists = async (scope: Scope, id: string): Promise<boolean> =>
  (
    await rows(
      scope,
      sql`select 1 from spaces where org_id = ${scope.orgId} and id = ${id} and deleted_at is null`,
    )
  ).length > 0
