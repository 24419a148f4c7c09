import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import { termNames, type TermName } from '#integrations/pms/pms.ts'
import {
  blockValues,
  changedBlocks,
  changedNights,
  eachTerm,
  maxPriceCents,
  nightValues,
  termColumns,
  type Block,
  type Terms,
  type CalendarUnit,
} from './queries.ts'
import { parted, type Layer } from './layers.ts'

/** A night whose derived price is out of bounds. */
export interface PriceOutOfBounds {
  readonly value_at: number
  readonly unit_id: string
  readonly night: string
  readonly price_cents: number
}

interface WrittenNights {
  /** The number of changed nights. */
  readonly nights: number
  /** When there is one, the transaction must not commit. */
  readonly out_of_bounds: PriceOutOfBounds[] | null
}

/**
 * Writes the named values and records what they replace; other values stay. The units are locked, so that nobody else
 * writes these nights. In parts, because a night takes 25 µs (half of it the foreign key) and a statement has 5 s.
 */
export async function writeNights(
  transaction: Transaction,
  changeId: string,
  layers: readonly Layer<Terms>[],
  units: ReadonlyMap<string, CalendarUnit>,
): Promise<{ nights: number; outOfBounds: PriceOutOfBounds[] }> {
  const resets = layers.some(({ terms }) => Object.values(terms).includes(null))
  const [parts] = await Promise.all([
    Promise.all(
      parted(layers, 25_000).map((part, at) =>
        writePart(transaction, { changeId, part: at + 1 }, nightValues(part, units), termsIn(part)),
      ),
    ),
    resets && forgetEmptyNights(transaction, layers),
  ])
  const nights = parts.reduce((sum, part) => sum + part!.nights, 0)
  return { nights, outOfBounds: parts.flatMap((part) => part!.out_of_bounds ?? []) }
}

interface PartOfChange {
  readonly changeId: string
  readonly part: number
}

const planKey = ['unit_id', 'rate_plan_id', 'base_price_cents', 'currency'] as const

const writePart = (
  transaction: Transaction,
  part: PartOfChange,
  values: string,
  members: readonly TermName[],
) =>
  first(
    transaction,
    sql<WrittenNights>`
      with
        ${changedNights(transaction.orgId, values)},
        written as (
          insert into calendar_nights (org_id, unit_id, rate_plan_id, night, ${termColumns()})
          select ${transaction.orgId}, unit_id, rate_plan_id, night, ${termColumns()}
          from changed
          on conflict (org_id, unit_id, rate_plan_id, night) do update
            set ${eachTerm((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)}
        ),
        kept as (${keepReplaced(transaction, part, planKey, members)})
      select (select count(*)::int from changed) as nights,
        (
          select json_agg(json_build_object('value_at', value_at, 'unit_id', unit_id, 'night', night,
            'price_cents', wanted_cents))
          from (
            select value_at, unit_id, night, wanted_cents
            from changed
            where value_at is not null
              and (wanted_cents < min_price_cents or wanted_cents > ${sql.lit(maxPriceCents)})
            order by value_at, night
            limit 50
          ) price
        ) as out_of_bounds`,
  )

type Member = TermName | 'blocked' | 'reason'

const termsIn = (layers: readonly Layer<Terms>[]) =>
  termNames.filter((name) => name === 'price_cents' || layers.some(({ terms }) => name in terms))

/**
 * Records what a statement with the CTE `changed` replaces: a row for each plan, or unit of blocks. Arrays, because an
 * object for each of 20,000 unequal nights took three quarters of the time of the change.
 */
const keepReplaced = (
  { orgId }: Transaction,
  { changeId, part }: PartOfChange,
  key: readonly ('unit_id' | (typeof planKey)[number])[],
  members: readonly Member[],
) => {
  const kept = ['night', ...members.flatMap((name) => [`old_${name}`, name])]
  const columns = kept.map((name) => sql.ref(name === 'night' ? 'nights' : name))
  return sql`
    insert into calendar_change_parts (org_id, change_id, part, date_from, date_to, ${refs(key)}, ${sql.join(columns)})
    select ${orgId}, ${changeId}, ${part}, min(night), max(night), ${refs(key)},
      ${sql.join(kept.map((name) => sql`array_agg(${sql.ref(name)})`))}
    from changed
    group by ${refs(key)}`
}

const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

/** A night without own values needs no row. */
const forgetEmptyNights = (transaction: Transaction, layers: readonly Layer<Terms>[]) => {
  const plans = [...new Set(layers.map(({ key }) => key))].map((key) => key.split(' '))
  return rows(
    transaction,
    sql`
      delete from calendar_nights stored
      using unnest(${plans.map(([unit]) => unit)}::uuid[], ${plans.map(([, plan]) => plan)}::uuid[])
        as plan (unit_id, rate_plan_id)
      where stored.org_id = ${transaction.orgId}
        and stored.unit_id = plan.unit_id
        and stored.rate_plan_id = plan.rate_plan_id
        and num_nonnulls(${termColumns('stored')}) = 0`,
  )
}

/**
 * Writes the number of rooms that the operator blocks, and records what it replaces. Returns the number of changed
 * nights.
 */
export async function writeBlocks(
  transaction: Transaction,
  changeId: string,
  layers: readonly Layer<Block>[],
): Promise<number> {
  if (layers.length === 0) return 0
  const values = blockValues(layers)
  const written = await first(
    transaction,
    sql<{ nights: number }>`
      with
        ${changedBlocks(transaction.orgId, values)},
        written as (
          insert into calendar_blocks (org_id, unit_id, night, blocked, reason)
          select ${transaction.orgId}, unit_id, night, blocked, reason
          from changed
          where blocked > 0
          on conflict (org_id, unit_id, night, source) do update
          set blocked = excluded.blocked,
            reason = excluded.reason
        ),
        removed as (
          delete from calendar_blocks stored
          using changed
          where changed.blocked = 0
            and stored.org_id = ${transaction.orgId}
            and stored.unit_id = changed.unit_id
            and stored.night = changed.night
            and stored.source = 'operator'
        ),
        kept as (${keepReplaced(transaction, { changeId, part: 0 }, ['unit_id'], ['blocked', 'reason'])})
      select count(*)::int as nights from changed`,
  )
  return written!.nights
}
