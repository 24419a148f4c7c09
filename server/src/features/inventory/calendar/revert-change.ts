import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { CalendarChange, LeftReason, NightsLeft } from './change-record.ts'
import { findRevert, replacedNights } from './changes-queries.ts'
import type { Layer } from './layers.ts'
import { lockUnits, type CalendarUnit, type Block, type Terms } from './queries.ts'
import { writeChange } from './write-change.ts'

export interface Revert {
  readonly change: CalendarChange
  readonly left: readonly NightsLeft[]
  /** Whether an earlier request has reverted it. */
  readonly isRepeated: boolean
}

/**
 * Restores what a change replaced, as one new change. A night whose value has changed since is skipped. A change is
 * reverted once: a repeated request returns the first revert.
 * @throws NotFound
 */
export const revertChange = (scope: Scope, changeId: string): Promise<Revert> =>
  atomically(scope, async (transaction) => {
    const original = await lockChange(transaction, changeId)
    if (original.reverted_by_id) {
      return { ...(await findRevert(transaction, original.reverted_by_id)), isRepeated: true }
    }
    const currencies = await currenciesOf(transaction, changeId)
    const units = await lockUnits(transaction, [...currencies.keys()])
    const { terms, blocks, left } = divide(await nightsOf(transaction, changeId), units, currencies)
    const nights = [...terms, ...blocks].flatMap((layer) => layer.nights)
    const [from, to] =
      nights.length > 0
        ? [nights.reduce((a, b) => Math.min(a, b)), nights.reduce((a, b) => Math.max(a, b))]
        : [nightOf(original.date_from), nightOf(original.date_to)]
    const { id, actor, created_at } = original
    const change = await writeChange(
      transaction,
      units,
      { terms, blocks, from, to },
      {
        values: original.value_count,
        action: 'calendar.reverted',
        changes: [
          { field: 'calendar_change', before: { id, actor, created_at }, after: null },
          { field: 'nights_left', before: null, after: nightsIn(left) },
        ],
        reverts: { id, left },
      },
    )
    if (change.nights_changed > 0) await markReverted(transaction, id, change.id)
    return { change, left, isRepeated: false }
  })

interface LockedChange {
  readonly id: string
  readonly actor: object
  readonly created_at: string
  readonly reverted_by_id: string | null
  readonly value_count: number
  readonly date_from: string
  readonly date_to: string
}

/** The second of two concurrent reverts waits here and then finds the first. */
async function lockChange(transaction: Transaction, id: string): Promise<LockedChange> {
  const found = await first(
    transaction,
    sql<LockedChange>`
      select id, actor, iso(created_at) as created_at, reverted_by_id, value_count, date_from::text, date_to::text
      from calendar_changes
      where org_id = ${transaction.orgId} and id = ${id}
      for update`,
  )
  if (!found) throw new NotFound('calendar change', id)
  return found
}

const markReverted = (transaction: Transaction, id: string, revertId: string) =>
  rows(
    transaction,
    sql`update calendar_changes set reverted_by_id = ${revertId} where org_id = ${transaction.orgId} and id = ${id}`,
  )

/** The units of a change, each with the currency of its prices: null when it has none or was not recorded. */
async function currenciesOf(transaction: Transaction, changeId: string) {
  const found = await rows(
    transaction,
    sql<{ unit_id: string; currency: string | null }>`
      select unit_id, max(currency) as currency
      from calendar_change_parts
      where org_id = ${transaction.orgId} and change_id = ${changeId}
      group by unit_id`,
  )
  return new Map(found.map(({ unit_id, currency }) => [unit_id, currency]))
}

type Values = Readonly<Record<string, number | boolean | string | null>>

/** Nights with equal values after the change, and equal values now. */
interface AlikeNights {
  readonly unit_id: string
  readonly rate_plan_id: string | null
  readonly before: Values
  readonly after: Values
  readonly now: Values
  readonly nights: number[]
}

/** Each night with its current values. */
function nightsOf(transaction: Transaction, changeId: string): Promise<AlikeNights[]> {
  const { orgId } = transaction
  return rows(
    transaction,
    sql<AlikeNights>`
      with
        ${replacedNights(sql`part.org_id = ${orgId} and part.change_id = ${changeId}`)},
        changed as (
          select unit_id, rate_plan_id, before, after, lower(range) + day as night
          from alike
          cross join lateral unnest(dates) range
          cross join lateral generate_series(0, upper(range) - lower(range) - 1) day
        )
      select changed.unit_id, changed.rate_plan_id, changed.before, changed.after,
        coalesce(decided.terms, block.terms, '{}') as now,
        array_agg(changed.night - date '1970-01-01' order by changed.night) as nights
      from changed
      left join lateral (
        select to_jsonb(stored) - array['org_id', 'unit_id', 'rate_plan_id', 'night'] as terms
        from calendar_nights stored
        where stored.org_id = ${orgId} and stored.unit_id = changed.unit_id
          and stored.rate_plan_id = changed.rate_plan_id and stored.night = changed.night
        offset 0
      ) decided on true
      left join lateral (
        select jsonb_build_object('blocked', block.blocked, 'reason', block.reason) as terms
        from calendar_blocks block
        where changed.rate_plan_id is null and block.org_id = ${orgId} and block.unit_id = changed.unit_id
          and block.night = changed.night and block.source = 'operator'
        offset 0
      ) block on true
      group by 1, 2, 3, 4, 5`,
  )
}

/** The values to restore, and the skipped ones with the reason. */
function divide(
  groups: readonly AlikeNights[],
  units: ReadonlyMap<string, CalendarUnit>,
  currencies: ReadonlyMap<string, string | null>,
) {
  const terms: Layer<Terms>[] = []
  const blocks: Layer<Block>[] = []
  const left = new Map<string, Omit<NightsLeft, 'nights'> & { days: number[] }>()
  for (const { unit_id, rate_plan_id, nights, ...values } of groups) {
    const unit = units.get(unit_id)
    const leave = (reason: LeftReason, members: readonly string[], days: readonly number[]) => {
      if (members.length === 0 || days.length === 0) return
      const key = JSON.stringify([unit_id, rate_plan_id, reason, members])
      const entry = { unit_id, rate_plan_id, members: members as NightsLeft['members'], reason }
      const { days: known } = left.get(key) ?? left.set(key, { ...entry, days: [] }).get(key)!
      for (const day of days) known.push(day)
    }
    const all = Object.keys(values.before)
    const gone = goneReason(unit, rate_plan_id)
    if (!unit || gone) {
      leave(gone ?? 'unit_deleted', all, nights)
      continue
    }
    leave(
      'past',
      all,
      nights.filter((night) => night < unit.today),
    )
    const coming = nights.filter((night) => night >= unit.today)
    const restored: Record<string, unknown> = {}
    const kept: Partial<Record<LeftReason, string[]>> = {}
    for (const member of all) {
      const reason = keptReason(unit, member, values, currencies.get(unit_id) ?? unit.currency)
      if (reason) (kept[reason] ??= []).push(member)
      else if (reason === null) restored[member] = values.before[member]
    }
    // Blocked rooms and their reason belong together.
    const isBlock = rate_plan_id === null
    if (isBlock && Object.keys(kept).length > 0) for (const member of all) delete restored[member]
    for (const [reason, members] of Object.entries(kept)) leave(reason as LeftReason, members, coming)
    if (coming.length === 0 || Object.keys(restored).length === 0) continue
    if (isBlock) blocks.push({ key: unit_id, nights: coming, terms: values.before as unknown as Block })
    else terms.push({ key: `${unit_id} ${rate_plan_id}`, nights: coming, terms: restored })
  }
  return {
    terms,
    blocks,
    left: [...left.values()].map(({ days, ...entry }) => ({ ...entry, nights: rangesOf(days) })),
  }
}

function goneReason(unit: CalendarUnit | undefined, planId: string | null): LeftReason | null {
  if (!unit) return 'unit_deleted'
  if (planId === null) return null
  const plan = unit.plans[planId]
  if (!plan) return 'rate_plan_deleted'
  return plan.status === 'archived' ? 'rate_plan_archived' : null
}

const none: Values = { blocked: 0 }

/** Why a value is not restored; null when it is restored, undefined when it has the old value already. */
function keptReason(
  { min_price_cents, quantity, currency }: CalendarUnit,
  member: string,
  { before, after, now }: Omit<AlikeNights, 'unit_id' | 'rate_plan_id' | 'nights'>,
  currencyThen: string,
): LeftReason | null | undefined {
  const is = now[member] ?? none[member] ?? null
  const was = before[member] ?? null
  if (is === was && was !== (after[member] ?? null)) return undefined
  if (is !== (after[member] ?? null)) return 'changed_since'
  if (member === 'price_cents' && was !== null && currency !== currencyThen) return 'changed_since'
  if (member === 'price_cents' && was !== null && Number(was) < (min_price_cents ?? 0)) return 'below_minimum'
  if (member === 'blocked' && Number(was) > quantity) return 'too_many_rooms'
  return null
}

/** Groups days into ranges. */
function rangesOf(days: number[]): NightsLeft['nights'] {
  const ranges: { date_from: string; date_to: string }[] = []
  let [from, to] = [NaN, NaN]
  const end = () => Number.isNaN(from) || ranges.push({ date_from: dateOf(from), date_to: dateOf(to) })
  for (const day of days.sort((a, b) => a - b)) {
    if (day !== to + 1) {
      end()
      from = day
    }
    to = day
  }
  end()
  return ranges
}

const nightsIn = (left: readonly NightsLeft[]) =>
  left
    .flatMap(({ nights }) => nights)
    .reduce((sum, { date_from, date_to }) => sum + nightOf(date_to) - nightOf(date_from) + 1, 0)
