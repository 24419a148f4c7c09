import { sql, type RawBuilder } from 'kysely'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import { termNames, type TermName } from '#outside/pms/pms.ts'
import { parted, type Layer } from './layers.ts'

/** What a change says of the nights of a plan; null returns to the default. */
export type Terms = Partial<Record<TermName, number | boolean | null>>

export interface Block {
  readonly blocked: number
  readonly reason: string | null
}

export interface CalendarUnit {
  readonly id: string
  readonly account_id: string
  readonly quantity: number
  readonly min_price_cents: number | null
  readonly currency: string
  /** The day number of the night that begins today, where the unit is. */
  readonly today: number
  readonly plans: Readonly<Record<string, { readonly status: string }>>
  readonly default_plan_id: string
}

/** The units that exist of those, locked in order: whoever decides their nights or rooms does so one by one. */
export async function lockUnits(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Map<string, CalendarUnit>> {
  const [, units] = await Promise.all([
    // On its own, because a lock that is waited for inside a join loses a unit that has moved to another space.
    rows(
      transaction,
      sql`select 1 from units where org_id = ${transaction.orgId} and id = any(array(select unnest(${ids}::uuid[])))
        order by id for no key update`,
    ),
    rows(
      transaction,
      sql<CalendarUnit>`select u.id, u.account_id, u.quantity, u.min_price_cents::float8, u.currency,
          (now() at time zone s.timezone)::date - date '1970-01-01' as today, p.plans, p.default_plan_id
        from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id,
        lateral (select json_object_agg(p.id, json_build_object('status', p.status)) as plans,
          (array_agg(p.id) filter (where p.is_default))[1] as default_plan_id
          from rate_plans p where p.org_id = u.org_id and p.unit_id = u.id) p
        where u.org_id = ${transaction.orgId} and u.id = any(array(select unnest(${ids}::uuid[])))
          and u.deleted_at is null order by u.id`,
    ),
  ])
  return new Map(units.map((unit) => [unit.id, unit]))
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

const columns = (prefix: string) =>
  sql.join(termNames.map((name) => sql.ref(prefix ? `${prefix}.${name}` : name)))
const each = (part: (name: TermName, bit: number) => RawBuilder<unknown>) =>
  sql.join(termNames.map((name, at) => part(name, 1 << at)))

/**
 * Writes what is decided, and leaves what is not named. The units are locked, so that nobody else writes these
 * nights meanwhile. In parts, because a night takes 25 µs (half of it the foreign key) and a statement has 5 s.
 */
export async function writeNights(transaction: Transaction, layers: readonly Layer<Terms>[]): Promise<void> {
  await Promise.all(parted(layers, 25_000).map((part) => writePart(transaction, part)))
  if (layers.some(({ terms }) => Object.values(terms).includes(null)))
    await forgetEmptyNights(transaction, layers)
}

/**
 * `given` has a bit for each term that is named, because a null that is named means the default. Rows that would
 * stay the same are not written.
 */
function writePart(transaction: Transaction, layers: readonly Layer<Terms>[]) {
  const values = layers.map(({ key, nights, terms }) => {
    const [unit_id, rate_plan_id] = key.split(' ')
    const given = termNames.reduce((bits, name, at) => (name in terms ? bits | (1 << at) : bits), 0)
    return { unit_id, rate_plan_id, nights, given, ...terms }
  })
  const typed = each((name) => sql`${sql.ref(name)} ${sql.raw(types[name])}`)
  const next = each((name, bit) => {
    const [given, kept] = [sql.ref(`v.${name}`), sql.ref(`o.${name}`)]
    return sql`case when v.given & ${sql.lit(bit)} > 0 then ${given} else ${kept} end as ${sql.ref(name)}`
  })
  // The row as it is comes by its key, one by one: the planner, which cannot know how many nights are meant,
  // would sooner read all nights of the organization.
  return rows(
    transaction,
    sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, ${columns('')})
      select ${transaction.orgId}, v.unit_id, v.rate_plan_id, date '1970-01-01' + n, ${columns('next')}
      from jsonb_to_recordset(${JSON.stringify(values)}::jsonb)
        as v (unit_id uuid, rate_plan_id uuid, nights integer[], given integer, ${typed})
      cross join lateral unnest(v.nights) n
      left join lateral (select o.* from calendar_nights o where o.org_id = ${transaction.orgId}
        and o.unit_id = v.unit_id and o.rate_plan_id = v.rate_plan_id and o.night = date '1970-01-01' + n offset 0) o on true
      cross join lateral (select ${next}) next
      where (${columns('next')}) is distinct from (${columns('o')})
      on conflict (org_id, unit_id, rate_plan_id, night) do update
        set ${each((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)}`,
  )
}

/** A night of which nothing is decided any more needs no row. */
const forgetEmptyNights = (transaction: Transaction, layers: readonly Layer<Terms>[]) => {
  const plans = [...new Set(layers.map(({ key }) => key))].map((key) => key.split(' '))
  return rows(
    transaction,
    sql`delete from calendar_nights n
      using unnest(${plans.map(([unit]) => unit)}::uuid[], ${plans.map(([, plan]) => plan)}::uuid[]) as p (unit_id, rate_plan_id)
      where n.org_id = ${transaction.orgId} and n.unit_id = p.unit_id and n.rate_plan_id = p.rate_plan_id
        and num_nonnulls(${columns('n')}) = 0`,
  )
}

/** The operator's own number of rooms; imported calendars stand beside it. */
export async function writeBlocks(transaction: Transaction, layers: readonly Layer<Block>[]): Promise<void> {
  const values = layers.filter(({ terms }) => terms.blocked > 0)
  if (values.length === 0) return
  await rows(
    transaction,
    sql`insert into calendar_blocks as b (org_id, unit_id, night, blocked, reason)
      select ${transaction.orgId}, v.unit_id, date '1970-01-01' + n, v.blocked, v.reason
      from jsonb_to_recordset(${recordset(values)}::jsonb)
        as v (unit_id uuid, nights integer[], blocked integer, reason text), unnest(v.nights) n
      on conflict (org_id, unit_id, night, source) do update set blocked = excluded.blocked, reason = excluded.reason
        where (b.blocked, b.reason) is distinct from (excluded.blocked, excluded.reason)`,
  )
}

export async function removeBlocks(transaction: Transaction, layers: readonly Layer<Block>[]): Promise<void> {
  const values = layers.filter(({ terms }) => terms.blocked === 0)
  if (values.length === 0) return
  await rows(
    transaction,
    sql`delete from calendar_blocks b
      using jsonb_to_recordset(${recordset(values)}::jsonb) as v (unit_id uuid, nights integer[]), unnest(v.nights) n
      where b.org_id = ${transaction.orgId} and b.unit_id = v.unit_id and b.night = date '1970-01-01' + n
        and b.source = 'operator'`,
  )
}

const recordset = (layers: readonly Layer<Block>[]) =>
  JSON.stringify(layers.map(({ key, nights, terms }) => ({ unit_id: key, nights, ...terms })))

/** When the change with this audit entry was made. */
export async function changeStamp(scope: Scope, id: string): Promise<string> {
  const [entry] = await rows(
    scope,
    sql<{ created_at: string }>`select iso(created_at) as created_at from sync_audit
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  return entry!.created_at
}
