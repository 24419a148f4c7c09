import { sql, type Fragment } from '#db/sql.ts'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import { termNames, type TermName } from '#integrations/pms/pms.ts'
import type { Layer } from './layers.ts'

export interface CalendarUnit {
  readonly id: string
  readonly account_id: string
  readonly quantity: number
  readonly base_price_cents: number
  readonly min_price_cents: number | null
  readonly currency: string
  /** The number of the current night at the unit. */
  readonly today: number
  readonly plans: Readonly<Record<string, { readonly status: string }>>
  readonly default_plan_id: string
}

/**
 * Locks the existing ones of these units in order, so that changes of their nights and rooms run one after the other.
 */
export async function lockUnits(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Map<string, CalendarUnit>> {
  const [, units] = await Promise.all([
    // A statement of its own, because a join that waits for a lock misses a unit that has moved to another space.
    rows(
      transaction,
      sql`select 1 from units where org_id = ${transaction.orgId} and id = any(array(select unnest(${ids}::uuid[])))
        order by id for no key update`,
    ),
    readUnits(transaction, ids),
  ])
  return units
}

/** The same units without locks, for reads. */
export async function readUnits(scope: Scope, ids: readonly string[]): Promise<Map<string, CalendarUnit>> {
  const units = await rows(
    scope,
    sql<CalendarUnit>`
      select unit.id, unit.account_id, unit.quantity, unit.base_price_cents::float8, unit.min_price_cents::float8,
        unit.currency, (now() at time zone space.timezone)::date - date '1970-01-01' as today, priced.plans,
        priced.default_plan_id
      from units unit
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id,
      lateral (
        select json_object_agg(plan.id, json_build_object('status', plan.status)) as plans,
          (array_agg(plan.id) filter (where plan.is_default))[1] as default_plan_id
        from rate_plans plan
        where plan.org_id = unit.org_id
          and plan.unit_id = unit.id) priced
      where unit.org_id = ${scope.orgId}
        and unit.id = any(array(select unnest(${ids}::uuid[])))
        and unit.deleted_at is null
      order by unit.id`,
  )
  return new Map(units.map((unit) => [unit.id, unit]))
}

/** The time of the change with this audit entry. */
export async function changeStamp(scope: Scope, id: string): Promise<string> {
  const [entry] = await rows(
    scope,
    sql<{ created_at: string }>`select iso(created_at) as created_at from sync_audit
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  return entry!.created_at
}

/** The values of a change for the nights of a plan; null returns to the default. */
export interface Terms extends Partial<Record<TermName, number | boolean | null>> {
  /** For a price that is derived from the previous one, where `price_cents` is undefined. */
  readonly derivation?: Derivation | undefined
}

/** How a price is derived: a percentage of it, or cents added; then rounded. */
interface Derivation {
  readonly price_percent?: number | undefined
  readonly price_delta_cents?: number | undefined
  readonly round_to_cents?: number | undefined
  readonly round_ending_cents?: number | undefined
  /** The index of the value in the request, for error messages. */
  readonly value_at: number
}

export interface Block {
  readonly blocked: number
  readonly reason: string | null
}

const types: Record<TermName, string> = {
  price_cents: 'bigint',
  min_stay_arrival: 'integer',
  min_stay_through: 'integer',
  max_stay: 'integer',
  closed_to_arrival: 'boolean',
  closed_to_departure: 'boolean',
  stop_sell: 'boolean',
}

export const maxPriceCents = 2_147_483_647

export const termColumns = (prefix = '') =>
  sql.join(termNames.map((name) => sql.ref(prefix ? `${prefix}.${name}` : name)))
export const eachTerm = (part: (name: TermName, bit: number) => Fragment) =>
  sql.join(termNames.map((name, at) => part(name, 1 << at)))

/**
 * The layers as `changedNights` reads them. `members` has a bit for each named term, because a named null means the
 * default.
 */
export const nightValues = (
  layers: readonly Layer<Terms>[],
  units: ReadonlyMap<string, CalendarUnit>,
): string =>
  JSON.stringify(
    layers.map(({ key, nights, terms: { derivation, ...terms } }) => {
      const [unit_id, rate_plan_id] = key.split(' ')
      const members = termNames.reduce((bits, name, at) => (name in terms ? bits | (1 << at) : bits), 0)
      const { base_price_cents, min_price_cents, currency } = units.get(unit_id!)!
      const unit = { unit_id, rate_plan_id, base_price_cents, min_price_cents, currency }
      return { ...unit, nights, members, ...terms, ...derivation }
    }),
  )

/**
 * The CTE `changed`: each night whose row would change, with its old values (`old_…`) and new ones. `wanted_cents` is the
 * price before it is limited.
 */
export function changedNights(orgId: string, values: string): Fragment {
  const typed = eachTerm((name) => sql`${sql.ref(name)} ${sql.raw(types[name])}`)
  const next = eachTerm((name, bit) => {
    const kept = sql.ref(`stored.${name}`)
    const given =
      name === 'price_cents'
        ? sql`case when wanted.cents is not null then least(greatest(wanted.cents, 0), ${sql.lit(maxPriceCents)}) end`
        : sql.ref(`given.${name}`)
    return sql`case when given.members & ${sql.lit(bit)} > 0 then ${given} else ${kept} end as ${sql.ref(name)}`
  })
  const old = eachTerm((name) => sql`${sql.ref(`stored.${name}`)} as ${sql.ref(`old_${name}`)}`)
  // The current rows are read by key, one by one: the planner cannot know how many nights are meant, and would rather
  // read all nights of the organization.
  return sql`
    changed as materialized (
      select given.unit_id, given.rate_plan_id, given.base_price_cents, given.currency,
        coalesce(given.min_price_cents, 0) as min_price_cents, given.value_at, wanted.cents as wanted_cents,
        date '1970-01-01' + day as night, ${old}, ${termColumns('next')}
      from jsonb_to_recordset(${values}::jsonb)
        as given (unit_id uuid, rate_plan_id uuid, base_price_cents bigint, min_price_cents bigint, currency text,
          nights integer[], members integer, ${typed}, price_percent numeric, price_delta_cents bigint,
          round_to_cents bigint, round_ending_cents bigint, value_at integer)
      cross join lateral unnest(given.nights) day
      left join lateral (
        select stored.*
        from calendar_nights stored
        where stored.org_id = ${orgId}
          and stored.unit_id = given.unit_id
          and stored.rate_plan_id = given.rate_plan_id
          and stored.night = date '1970-01-01' + day
        offset 0
      ) stored on true
      cross join lateral (
        select case
            when given.value_at is null then given.price_cents
            else (round((coalesce(stored.price_cents, given.base_price_cents)
                  * (100 + coalesce(given.price_percent, 0)) / 100
                + coalesce(given.price_delta_cents, 0)
                - coalesce(given.round_ending_cents, 0)) / coalesce(given.round_to_cents, 1))
              * coalesce(given.round_to_cents, 1)
              + coalesce(given.round_ending_cents, 0))::bigint
          end as cents
      ) wanted
      cross join lateral (select ${next}) next
      where (${termColumns('next')}) is distinct from (${termColumns('stored')})
    )`
}

/** Nights with equal old and new values, from rows like those of `changedNights`. */
export const alikeNights = (source: Fragment) => sql`
  select unit_id, rate_plan_id, count(*)::int as nights, range_agg(daterange(night, night + 1)) as dates,
    ${differing('old_')} as before, ${differing('')} as after,
    coalesce(old_price_cents, base_price_cents) as price_before_cents,
    coalesce(price_cents, base_price_cents) as price_after_cents,
    min(wanted_cents) < min(min_price_cents) as is_below, max(wanted_cents) > ${sql.lit(maxPriceCents)} as is_above
  from ${source}
  group by unit_id, rate_plan_id, base_price_cents, ${termColumns()},
    ${eachTerm((name) => sql.ref(`old_${name}`))}`

/** The changed terms: with the prefix the old ones, without it the new ones. */
const differing = (prefix: 'old_' | '') =>
  sql.join(
    termNames.map((name) => {
      const [kept, given] = [sql.ref(`old_${name}`), sql.ref(name)]
      const value = sql.ref(prefix + name)
      return sql`case when ${kept} is distinct from ${given}
        then jsonb_build_object(${sql.lit(name)}, ${value}) else '{}' end`
    }),
    ' || ',
  )

/** The layers as `changedBlocks` reads them. */
export const blockValues = (layers: readonly Layer<Block>[]): string =>
  JSON.stringify(layers.map(({ key, nights, terms }) => ({ unit_id: key, nights, ...terms })))

/** The same for blocked rooms: the number set by the operator; imported calendars are separate. */
export const changedBlocks = (orgId: string, values: string): Fragment => sql`
  changed as materialized (
    select given.unit_id, date '1970-01-01' + day as night, given.blocked, given.reason,
      coalesce(stored.blocked, 0) as old_blocked, stored.reason as old_reason
    from jsonb_to_recordset(${values}::jsonb)
      as given (unit_id uuid, nights integer[], blocked integer, reason text)
    cross join lateral unnest(given.nights) day
    left join lateral (
      select stored.*
      from calendar_blocks stored
      where stored.org_id = ${orgId}
        and stored.unit_id = given.unit_id
        and stored.source = 'operator'
        and stored.night = date '1970-01-01' + day
      offset 0
    ) stored on true
    where (given.blocked, given.reason) is distinct from (coalesce(stored.blocked, 0), stored.reason)
  )`

export const alikeBlocks = (source: Fragment) => sql`
  select unit_id, null::uuid as rate_plan_id, count(*)::int as nights,
    range_agg(daterange(night, night + 1)) as dates,
    jsonb_build_object('blocked', old_blocked, 'reason', old_reason) as before,
    jsonb_build_object('blocked', blocked, 'reason', reason) as after,
    null::bigint as price_before_cents, null::bigint as price_after_cents, false as is_below, false as is_above
  from ${source}
  group by unit_id, old_blocked, old_reason, blocked, reason`
