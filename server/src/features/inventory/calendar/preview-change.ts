import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { maxRanges, type CalendarPreview, type PreviewedNights } from './change-record.ts'
import {
  alikeBlocks,
  alikeNights,
  blockValues,
  changedBlocks,
  changedNights,
  nightValues,
  type CalendarUnit,
} from './queries.ts'
import { parted } from './layers.ts'
import type { ChangePlan } from './write-change.ts'

/** Computes what a change would replace, with the CTEs that write a change. */
export async function previewChange(
  transaction: Transaction,
  units: ReadonlyMap<string, CalendarUnit>,
  plan: ChangePlan,
  values: number,
): Promise<CalendarPreview> {
  const parts = await Promise.all([
    ...parted(plan.terms, 25_000).map((part) => readPart(transaction, nightValues(part, units), false)),
    ...(plan.blocks.length > 0 ? [readPart(transaction, blockValues(plan.blocks), true)] : []),
  ])
  const found = parts.flat()
  const [isWarned, isNot] = [found.filter(hasWarning), found.filter((range) => !hasWarning(range))]
  const total = (member: 'all_nights' | 'nights_below_minimum' | 'nights_over_half') =>
    parts.reduce((sum, [first]) => sum + (first?.[member] ?? 0), 0)
  return {
    values,
    nights: [...plan.terms, ...plan.blocks].reduce((sum, { nights }) => sum + nights.length, 0),
    nights_changed: total('all_nights'),
    nights_below_minimum: total('nights_below_minimum'),
    nights_over_half: total('nights_over_half'),
    ranges: [...isWarned, ...isNot].slice(0, maxRanges).map(shown),
    has_more_ranges: found.length > maxRanges,
  }
}

interface PreviewRow extends PreviewedNights {
  readonly all_nights: number
  readonly nights_below_minimum: number
  readonly nights_over_half: number
}

const hasWarning = ({ warnings }: PreviewRow) => warnings.length > 0
const shown = ({
  all_nights: _,
  nights_below_minimum: _below,
  nights_over_half: _half,
  ...range
}: PreviewRow) => range

/** Ranges with a warning first, because the response may not contain all ranges. */
const readPart = (transaction: Transaction, values: string, isBlocks: boolean) =>
  rows(
    transaction,
    sql<PreviewRow>`
      with
        ${isBlocks ? changedBlocks(transaction.orgId, values) : changedNights(transaction.orgId, values)},
        alike as (${isBlocks ? alikeBlocks(sql`changed`) : alikeNights(sql`changed`)}),
        warned as (
          select *, abs(price_after_cents - price_before_cents) * 2 > price_before_cents as is_over_half
          from alike
        )
      select unit_id, rate_plan_id,
        (
          select json_agg(json_build_object('date_from', lower(range), 'date_to', upper(range) - 1))
          from unnest(dates) range
        ) as nights,
        before, after, price_before_cents::float8, price_after_cents::float8,
        array_remove(array[
          case when is_below then 'below_minimum' end,
          case when is_above then 'above_maximum' end,
          case when is_over_half then 'over_half' end
        ], null) as warnings,
        (sum(nights) over ())::int as all_nights,
        (coalesce(sum(nights) filter (where is_below) over (), 0))::int as nights_below_minimum,
        (coalesce(sum(nights) filter (where is_over_half) over (), 0))::int as nights_over_half
      from warned
      order by coalesce(is_below or is_above or is_over_half, false) desc, unit_id, rate_plan_id, lower(dates)
      limit ${maxRanges + 1}`,
  )
