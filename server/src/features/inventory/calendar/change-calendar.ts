import { atomically, type Scope } from '#db/scope.ts'
import { Invalid, semanticError, type FieldError } from '#errors.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { AuditEntry } from '#features/distribution/audit/queries.ts'
import { formatMoney } from '#schema/money.ts'
import { errorsOfValue, maxNights, priceMemberOf, termsOf, type CalendarValue } from './calendar-change.ts'
import type { CalendarChange, CalendarPreview } from './change-record.ts'
import { maxPriceCents, type Block, type Terms, lockUnits, readUnits, type CalendarUnit } from './queries.ts'
import { daysBetween } from './days.ts'
import { merged, type Layer } from './layers.ts'
import { previewChange } from './preview-change.ts'
import { writeChange, type ChangePlan } from './write-change.ts'
import type { PriceOutOfBounds } from './write-queries.ts'

/** The source of the values, when a caller did not send them. */
interface Origin {
  /** Recorded in the audit instead of the values. */
  readonly changes?: AuditEntry['changes']
  readonly seasonId?: string
  /** The member of the request that the value comes from. */
  readonly pointerOf?: (at: number) => string
  /** Whether a value without future nights is omitted instead of refused. */
  readonly skipsPast?: boolean
}

/** Changes many nights of many units and plans in one transaction: all or none. @throws Invalid */
export const changeCalendar = (
  scope: Scope,
  values: readonly CalendarValue[],
  origin: Origin = {},
): Promise<CalendarChange> => {
  assertNoErrors(values.flatMap(errorsOfValue), origin)
  return atomically(scope, async (transaction) => {
    const units = await lockUnits(transaction, unitsIn(values))
    const [plan, errors] = planned(values, units, origin)
    assertNoErrors(errors, origin)
    return await writeChange(transaction, units, plan, {
      values: values.length,
      action: 'calendar.changed',
      changes: origin.changes ?? values.map((value) => ({ field: 'calendar', before: null, after: value })),
      seasonId: origin.seasonId,
      assertPrices: (outOfBounds) =>
        assertNoErrors(
          outOfBounds.map((price) => errorOfPrice(price, values, units)),
          origin,
        ),
    })
  })
}

/** The same without writing. A price below the minimum is a warning here. @throws Invalid */
export const previewCalendar = (
  scope: Scope,
  values: readonly CalendarValue[],
  origin: Origin = {},
): Promise<CalendarPreview> => {
  assertNoErrors(values.flatMap(errorsOfValue), origin)
  return atomically(scope, async (transaction) => {
    const units = await readUnits(transaction, unitsIn(values))
    const [plan, errors] = planned(values, units, origin)
    assertNoErrors(
      errors.filter(({ code }) => code !== belowMinimum),
      origin,
    )
    return await previewChange(transaction, units, plan, values.length)
  })
}

const unitsIn = (values: readonly CalendarValue[]) => [...new Set(values.map(({ unit_id }) => unit_id))]

function assertNoErrors(errors: FieldError[], { pointerOf }: Origin): void {
  if (errors.length === 0) return
  const [code, ...others] = new Set(errors.map((error) => error.code))
  const kind = others.length === 0 ? problems[code!] : undefined
  const placed = errors.slice(0, 50).map(({ pointer, ...error }) => {
    const [, , at] = pointer.split('/')
    return { pointer: pointerOf ? pointerOf(Number(at)) : pointer, ...error }
  })
  throw new Invalid(kind ?? 'semantic-error', placed)
}

const belowMinimum = 'below_minimum'

/** The problem when all errors have this code. */
const problems: Record<string, 'reference-not-found' | 'price-below-minimum'> = {
  reference_not_found: 'reference-not-found',
  [belowMinimum]: 'price-below-minimum',
}

/** The errors of a value, compared with the stored data. */
function errorsAgainst(
  unit: CalendarUnit | undefined,
  value: CalendarValue,
  nights: readonly number[],
  at: number,
): FieldError[] {
  const error = (member: string, message: string, code = 'invalid') => [
    { pointer: `/values/${at}/${member}`, code, message },
  ]
  if (!unit) return error('unit_id', 'unit_id is not a unit that you can see.', 'reference_not_found')
  const plan = value.rate_plan_id && unit.plans[value.rate_plan_id]
  if (value.rate_plan_id && !plan)
    return error('rate_plan_id', 'rate_plan_id is not a plan of this unit.', 'reference_not_found')
  if (plan && plan.status === 'archived') return error('rate_plan_id', 'The rate plan is archived.')
  if ((value.blocked ?? 0) > unit.quantity)
    return error('blocked', `blocked is more than the ${unit.quantity} rooms of the unit.`)
  if (nights.length === 0)
    return nightOf(value.date_to) < unit.today
      ? error('date_to', 'The value has no future night in the time zone of the space.')
      : error('weekdays', 'No night of the dates that is today or later is on one of the weekdays.')
  const { price_cents: price } = value
  const { min_price_cents: minimum, currency } = unit
  if (typeof price === 'number' && price < (minimum ?? 0))
    return error(
      'price_cents',
      `The night of ${dateOf(nights[0]!)} costs ${formatMoney(price, currency)}, below the minimum of ${formatMoney(minimum!, currency)}.`,
      belowMinimum,
    )
  return []
}

/** Past nights (at the unit) are omitted. */
const nightsToCome = (unit: CalendarUnit | undefined, { date_from, date_to, weekdays }: CalendarValue) =>
  unit ? daysBetween(Math.max(nightOf(date_from), unit.today), nightOf(date_to), weekdays) : []

/** The amounts of a season mean the same only in one currency. */
function errorsOfCurrencies(
  values: readonly CalendarValue[],
  units: ReadonlyMap<string, CalendarUnit>,
): FieldError[] {
  const currencyOf = (value: CalendarValue) => units.get(value.unit_id)!.currency
  const hasAmount = (value: CalendarValue) => Boolean(value.price_cents ?? value.price_delta_cents)
  const first = values.find(hasAmount)
  const other = values.findIndex((value) => hasAmount(value) && currencyOf(value) !== currencyOf(first!))
  if (other < 0) return []
  const currencies = [first!, values[other]!].map((value) => currencyOf(value).toUpperCase()).join(' and ')
  const message = `The season has amounts, but the units sell in ${currencies}: apply it to units of one currency.`
  return [{ pointer: `/values/${other}/${priceMemberOf(values[other]!)}`, code: 'invalid', message }]
}

/** The change to write; valid only when there are no problems but those of prices. */
function planned(
  values: readonly CalendarValue[],
  units: ReadonlyMap<string, CalendarUnit>,
  { skipsPast = false, seasonId }: Origin,
): [plan: ChangePlan, errors: FieldError[]] {
  const nights = values.map((value) => nightsToCome(units.get(value.unit_id), value))
  const errors = values.flatMap((value, at) => {
    const unit = units.get(value.unit_id)
    return unit && skipsPast && nights[at]!.length === 0 ? [] : errorsAgainst(unit, value, nights[at]!, at)
  })
  if (seasonId && errors.length === 0) errors.push(...errorsOfCurrencies(values, units))
  if (errors.length === 0 && nights.every((ofValue) => ofValue.length === 0))
    throw semanticError('values', 'No value has a night from today on, in the time zone of its space.')
  const isPlannable = errors.every(({ code }) => code === belowMinimum)
  return [isPlannable ? planOf(values, nights, units) : noPlan, errors]
}

const noPlan: ChangePlan = { terms: [], blocks: [], from: 0, to: 0 }

function planOf(
  values: readonly CalendarValue[],
  nightsOfValues: readonly (readonly number[])[],
  units: ReadonlyMap<string, CalendarUnit>,
): ChangePlan {
  const plans: Layer<Terms>[] = []
  const blocks: Layer<Block>[] = []
  let [nightCount, from, to] = [0, Infinity, -Infinity]
  for (const [at, value] of values.entries()) {
    const unit = units.get(value.unit_id)!
    const nights = nightsOfValues[at]!
    if (nights.length === 0) continue
    from = Math.min(from, nights[0]!)
    to = Math.max(to, nights.at(-1)!)
    const named = termsOf(value)
    if (named.length > 0) {
      const key = `${unit.id} ${value.rate_plan_id ?? unit.default_plan_id}`
      const terms = Object.fromEntries(named.map((name) => [name, value[name]]))
      plans.push({ key, nights, terms: { ...terms, ...derivationOf(value, at) } })
      nightCount += nights.length
    }
    if (value.blocked !== undefined) {
      const blocked = value.blocked ?? 0
      const block = { blocked, reason: blocked > 0 ? (value.reason ?? null) : null }
      blocks.push({ key: unit.id, nights, terms: block })
      nightCount += nights.length
    }
  }
  if (nightCount > maxNights)
    throw semanticError('values', `One change may cover at most ${maxNights.toLocaleString('en')} nights.`)
  return { terms: merged(plans), blocks: merged(blocks), from, to }
}

/** Given with every price, so that the later one of two prices for a night applies as a whole. */
function derivationOf(value: CalendarValue, value_at: number): Pick<Terms, 'derivation'> {
  const member = priceMemberOf(value)
  if (!member) return {}
  if (member === 'price_cents') return { derivation: undefined }
  const { price_percent, price_delta_cents, round_to_cents, round_ending_cents } = value
  return {
    derivation: { price_percent, price_delta_cents, round_to_cents, round_ending_cents, value_at },
  }
}

function errorOfPrice(
  { value_at, unit_id, night, price_cents }: PriceOutOfBounds,
  values: readonly CalendarValue[],
  units: ReadonlyMap<string, CalendarUnit>,
): FieldError {
  const { min_price_cents, currency } = units.get(unit_id)!
  const pointer = `/values/${value_at}/${priceMemberOf(values[value_at]!)}`
  const costs = `The night of ${night} costs ${formatMoney(price_cents, currency)},`
  return price_cents > maxPriceCents
    ? { pointer, code: 'invalid', message: `${costs} more than a price may be.` }
    : {
        pointer,
        code: belowMinimum,
        message: `${costs} below the minimum of ${formatMoney(min_price_cents ?? 0, currency)}.`,
      }
}
