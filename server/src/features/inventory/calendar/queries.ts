import { sql, type RawBuilder } from 'kysely'
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
    sql<CalendarUnit>`select u.id, u.account_id, u.quantity, u.base_price_cents::float8, u.min_price_cents::float8,
        u.currency, (now() at time zone s.timezone)::date - date '1970-01-01' as today, p.plans, p.default_plan_id
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id,
      lateral (select json_object_agg(p.id, json_build_object('status', p.status)) as plans,
        (array_agg(p.id) filter (where p.is_default))[1] as default_plan_id
        from rate_plans p where p.org_id = u.org_id and p.unit_id = u.id) p
      where u.org_id = ${scope.orgId} and u.id = any(array(select unnest(${ids}::uuid[])))
        and u.deleted_at is null order by u.id`,
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
export const eachTerm = (part: (name: TermName, bit: number) => RawBuilder<unknown>) =>
  sql.join(termNames.map((name, at) => part(name, 1 << at)))

/**
 * The layers as `changedNights` reads them. `given` has a bit for each named term, because a named null means the
 * default.
 */
export const nightValues = (
  layers: readonly Layer<Terms>[],
  units: ReadonlyMap<string, CalendarUnit>,
): string =>
  JSON.stringify(
    layers.map(({ key, nights, terms: { derivation, ...terms } }) => {
      const [unit_id, rate_plan_id] = key.split(' ')
      const given = termNames.reduce((bits, name, at) => (name in terms ? bits | (1 << at) : bits), 0)
      const { base_price_cents, min_price_cents } = units.get(unit_id!)!
      const unit = { unit_id, rate_plan_id, base_price_cents, min_price_cents }
      return { ...unit, nights, given, ...terms, ...derivation }
    }),
  )

/**
 * The CTE `changed`: each night whose row would change, with its old values (`old_…`) and new ones. `wanted_cents` is the
 * price before it is limited.
 */
export function changedNights(orgId: string, values: string): RawBuilder<unknown> {
  const typed = eachTerm((name) => sql`${sql.ref(name)} ${sql.raw(types[name])}`)
  const next = eachTerm((name, bit) => {
    const kept = sql.ref(`o.${name}`)
    const given =
      name === 'price_cents'
        ? sql`case when wanted.cents is not null then least(greatest(wanted.cents, 0), ${sql.lit(maxPriceCents)}) end`
        : sql.ref(`v.${name}`)
    return sql`case when v.given & ${sql.lit(bit)} > 0 then ${given} else ${kept} end as ${sql.ref(name)}`
  })
  const old = eachTerm((name) => sql`${sql.ref(`o.${name}`)} as ${sql.ref(`old_${name}`)}`)
  // The current rows are read by key, one by one: the planner cannot know how many nights are meant, and would rather
  // read all nights of the organization.
  return sql`
    changed as materialized (
      select v.unit_id, v.rate_plan_id, v.base_price_cents, coalesce(v.min_price_cents, 0) as min_price_cents,
        v.value_at, wanted.cents as wanted_cents, date '1970-01-01' + n as night, ${old}, ${termColumns('next')}
      from jsonb_to_recordset(${values}::jsonb)
        as v (unit_id uuid, rate_plan_id uuid, base_price_cents bigint, min_price_cents bigint, nights integer[],
          given integer, ${typed}, price_percent numeric, price_delta_cents bigint, round_to_cents bigint,
          round_ending_cents bigint, value_at integer)
      cross join lateral unnest(v.nights) n
      left join lateral (
        select o.* from calendar_nights o
        where o.org_id = ${orgId} and o.unit_id = v.unit_id and o.rate_plan_id = v.rate_plan_id
          and o.night = date '1970-01-01' + n
        offset 0
      ) o on true
      cross join lateral (
        select case when v.value_at is null then v.price_cents
          else (round((coalesce(o.price_cents, v.base_price_cents) * (100 + coalesce(v.price_percent, 0)) / 100
            + coalesce(v.price_delta_cents, 0) - coalesce(v.round_ending_cents, 0)) / coalesce(v.round_to_cents, 1))
            * coalesce(v.round_to_cents, 1) + coalesce(v.round_ending_cents, 0))::bigint end as cents
      ) wanted
      cross join lateral (select ${next}) next
      where (${termColumns('next')}) is distinct from (${termColumns('o')})
    )`
}

/** Nights with equal old and new values, from rows like those of `changedNights`. */
export const alikeNights = (source: RawBuilder<unknown>) => sql`
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
    sql` || `,
  )

/** The layers as `changedBlocks` reads them. */
export const blockValues = (layers: readonly Layer<Block>[]): string =>
  JSON.stringify(layers.map(({ key, nights, terms }) => ({ unit_id: key, nights, ...terms })))

/** The same for blocked rooms: the number set by the operator; imported calendars are separate. */
export const changedBlocks = (orgId: string, values: string): RawBuilder<unknown> => sql`
  changed as materialized (
    select v.unit_id, date '1970-01-01' + n as night, v.blocked, v.reason,
      coalesce(o.blocked, 0) as old_blocked, o.reason as old_reason
    from jsonb_to_recordset(${values}::jsonb)
      as v (unit_id uuid, nights integer[], blocked integer, reason text)
    cross join lateral unnest(v.nights) n
    left join lateral (
      select o.* from calendar_blocks o
      where o.org_id = ${orgId} and o.unit_id = v.unit_id and o.source = 'operator'
        and o.night = date '1970-01-01' + n
      offset 0
    ) o on true
    where (v.blocked, v.reason) is distinct from (coalesce(o.blocked, 0), o.reason)
  )`

export const alikeBlocks = (source: RawBuilder<unknown>) => sql`
  select unit_id, null::uuid as rate_plan_id, count(*)::int as nights,
    range_agg(daterange(night, night + 1)) as dates,
    jsonb_build_object('blocked', old_blocked, 'reason', old_reason) as before,
    jsonb_build_object('blocked', blocked, 'reason', reason) as after,
    null::bigint as price_before_cents, null::bigint as price_after_cents, false as is_below, false as is_above
  from ${source}
  group by unit_id, old_blocked, old_reason, blocked, reason`
