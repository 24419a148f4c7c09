import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Invalid, semanticError, unknownReference, type FieldError } from '#errors.ts'
import { termNames, type TermName } from '#integrations/pms/pms.ts'
import { formatMoney } from '#schema/money.ts'
import { dateOf } from '#schema/nights.ts'
import { maxNights } from './calendar-change.ts'
import type { CalendarChange, CalendarPreview } from './change-record.ts'
import { termColumns, type Terms, lockUnits, readUnits, type CalendarUnit } from './queries.ts'
import { rangeOfCopy, type CalendarCopyInput } from './copy.ts'
import type { Layer } from './layers.ts'
import { previewChange } from './preview-change.ts'
import { writeChange, type ChangePlan } from './write-change.ts'

/**
 * Copies what is decided for the nights of the default plan, to other units or to the same weekdays of another year, as
 * one change. What is not decided there returns to the default here. @throws Invalid
 */
export const copyCalendar = (scope: Scope, copy: CalendarCopyInput): Promise<CalendarChange> =>
  atomically(scope, async (transaction) => {
    const units = await lockUnits(transaction, copy.unit_ids)
    const plan = await planCopy(transaction, copy, units)
    const errors = belowMinimum(plan, units, copy)
    if (errors.length > 0) throw new Invalid('price-below-minimum', errors.slice(0, 50))
    const { dry_run: _, ...after } = copy
    return await writeChange(transaction, units, plan, {
      values: copy.unit_ids.length,
      action: 'calendar.changed',
      changes: [{ field: 'calendar_copy', before: null, after }],
    })
  })

/** The same without writing. A price below the minimum is a warning here. @throws Invalid */
export const previewCopy = (scope: Scope, copy: CalendarCopyInput): Promise<CalendarPreview> =>
  atomically(scope, async (transaction) => {
    const units = await readUnits(transaction, copy.unit_ids)
    return await previewChange(
      transaction,
      units,
      await planCopy(transaction, copy, units),
      copy.unit_ids.length,
    )
  })

async function planCopy(
  transaction: Transaction,
  copy: CalendarCopyInput,
  units: ReadonlyMap<string, CalendarUnit>,
): Promise<ChangePlan> {
  const { from, to, shift } = rangeOfCopy(copy)
  const unknown = copy.unit_ids.findIndex((id) => !units.has(id))
  if (unknown >= 0) throw unknownReference(`unit_ids/${unknown}`, 'unit')
  if (units.size * (to - from + 1) > maxNights)
    throw semanticError('unit_ids', `One change may decide ${maxNights.toLocaleString('en')} nights at most.`)
  const source = await findSource(transaction, copy, units)
  const decided = await readDecided(transaction, source ? [source.id] : [...units.keys()], from, to)
  const terms = [...units.values()].flatMap((unit) =>
    layersOf(unit, decided.get(source?.id ?? unit.id) ?? [], {
      ...{ from, to, shift },
      members: copy.members ?? termNames,
    }),
  )
  if (terms.length === 0)
    throw semanticError('date_to', 'There is no night to come, in the time zones of the spaces.')
  return { terms, blocks: [], from: from + shift, to: to + shift }
}

/** Amounts mean the same only in the same currency. */
async function findSource(
  transaction: Transaction,
  { source_unit_id, members }: CalendarCopyInput,
  units: ReadonlyMap<string, CalendarUnit>,
): Promise<CalendarUnit | null> {
  if (!source_unit_id) return null
  const source = (await readUnits(transaction, [source_unit_id])).get(source_unit_id)
  if (!source) throw unknownReference('source_unit_id', 'unit')
  const other = [...units.values()].find(({ currency }) => currency !== source.currency)
  if (other && (members ?? termNames).includes('price_cents'))
    throw semanticError(
      'source_unit_id',
      `The unit has prices in ${source.currency}, and ${other.id} in ${other.currency}. Leave price_cents out of members.`,
    )
  return source
}

/** Nights for which the same is decided. */
interface DecidedNights {
  readonly unit_id: string
  readonly nights: number[]
  readonly price_cents: number | null
  readonly min_stay_arrival: number | null
  readonly min_stay_through: number | null
  readonly max_stay: number | null
  readonly closed_to_arrival: boolean | null
  readonly closed_to_departure: boolean | null
  readonly stop_sell: boolean | null
}

async function readDecided(transaction: Transaction, unitIds: readonly string[], from: number, to: number) {
  const found = await rows(
    transaction,
    sql<DecidedNights>`
      select night.unit_id, array_agg(night.night - date '1970-01-01') as nights, ${termColumns('night')}
      from rate_plans plan
      join calendar_nights night
        on night.org_id = plan.org_id and night.unit_id = plan.unit_id and night.rate_plan_id = plan.id
      where plan.org_id = ${transaction.orgId}
        and plan.unit_id = any(${unitIds}::uuid[])
        and plan.is_default
        and night.night between ${dateOf(from)} and ${dateOf(to)}
      group by night.unit_id, ${termColumns('night')}`,
  )
  return Map.groupBy(found, ({ unit_id }) => unit_id)
}

interface CopiedRange {
  readonly from: number
  readonly to: number
  readonly shift: number
  readonly members: readonly TermName[]
}

function layersOf(
  unit: CalendarUnit,
  decided: readonly DecidedNights[],
  { from, to, shift, members }: CopiedRange,
): Layer<Terms>[] {
  const known = new Set(decided.flatMap(({ nights }) => nights))
  const others = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter(
    (night) => !known.has(night),
  )
  return [...decided, { nights: others }]
    .map((range) => ({
      key: `${unit.id} ${unit.default_plan_id}`,
      nights: range.nights.map((night) => night + shift).filter((night) => night >= unit.today),
      terms: Object.fromEntries(members.map((name) => [name, 'unit_id' in range ? range[name] : null])),
    }))
    .filter(({ nights }) => nights.length > 0)
}

function belowMinimum(
  { terms }: ChangePlan,
  units: ReadonlyMap<string, CalendarUnit>,
  { unit_ids }: CalendarCopyInput,
): FieldError[] {
  return terms.flatMap(({ key, nights, terms: { price_cents: price } }) => {
    const { id, min_price_cents: minimum, currency } = units.get(key.split(' ')[0]!)!
    if (typeof price !== 'number' || price >= (minimum ?? 0)) return []
    const at = unit_ids.indexOf(id)
    const message = `The night of ${dateOf(nights[0]!)} costs ${formatMoney(price, currency)}, below the minimum of ${formatMoney(minimum!, currency)}.`
    return [{ pointer: `/unit_ids/${at}`, code: 'below_minimum', message }]
  })
}
