import { randomUUID } from 'node:crypto'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Invalid, semanticError, type Fault } from '#errors.ts'
import { parseTraceparent } from '#telemetry.ts'
import { dateOf, nightOf } from '#nights.ts'
import { money } from '../pricing/money.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import {
  faultsOfValue,
  mostNights,
  termsOf,
  type CalendarChange,
  type CalendarValue,
} from './calendar-change.ts'
import { daysBetween } from './days.ts'
import { merged, type Layer } from './layers.ts'
import {
  changeStamp,
  lockUnits,
  removeBlocks,
  writeBlocks,
  writeNights,
  type Block,
  type CalendarUnit,
  type Terms,
} from './queries.ts'

/** What is to be written, each night once. */
interface Plan {
  readonly terms: readonly Layer<Terms>[]
  readonly blocks: readonly Layer<Block>[]
  readonly nights: number
  readonly from: number
  readonly to: number
}

/** Decides many nights of many units and plans as one change: all of it or nothing. @throws Invalid */
export const changeCalendar = (scope: Scope, sent: readonly CalendarValue[]): Promise<CalendarChange> => {
  const values = sent.map(withPlainIds)
  refuse(values.flatMap(faultsOfValue))
  return atomically(scope, async (transaction) => {
    const unitIds = [...new Set(values.map(({ unit_id }) => unit_id))]
    const units = await lockUnits(transaction, unitIds)
    const nights = values.map((value) => nightsToCome(units.get(value.unit_id), value))
    refuse(values.flatMap((value, at) => faultsAgainst(units.get(value.unit_id), value, nights[at]!, at)))
    const plan = planned(values, nights, units)
    const id = randomUUID()
    // Sent together: the locks are taken, so nothing that one of them finds depends on another.
    const [listings, created_at] = await Promise.all([
      requestSync(
        transaction,
        { unitIds, nights: { from: dateOf(plan.from), to: dateOf(plan.to) } },
        'change',
      ),
      audit(transaction, id, values, [...units.values()]),
      writeNights(transaction, plan.terms),
      writeBlocks(transaction, plan.blocks),
      removeBlocks(transaction, plan.blocks),
    ])
    return { id, values: values.length, nights: plan.nights, listings: listings.length, created_at }
  })
}

/** Ids are compared as text from here on. */
const withPlainIds = (value: CalendarValue): CalendarValue => ({
  ...value,
  unit_id: value.unit_id.toLowerCase(),
  ...(value.rate_plan_id && { rate_plan_id: value.rate_plan_id.toLowerCase() }),
})

function refuse(faults: Fault[]): void {
  if (faults.length === 0) return
  const [code, ...others] = new Set(faults.map((fault) => fault.code))
  const kind = others.length === 0 ? problems[code!] : undefined
  throw new Invalid(kind ?? 'semantic-error', faults.slice(0, 50))
}

/** The problem when all that is wrong is of this kind. */
const problems: Record<string, 'reference-not-found' | 'price-below-minimum'> = {
  reference_not_found: 'reference-not-found',
  below_minimum: 'price-below-minimum',
}

/** What is wrong with a value against what is stored. */
function faultsAgainst(
  unit: CalendarUnit | undefined,
  value: CalendarValue,
  nights: readonly number[],
  at: number,
): Fault[] {
  const fault = (member: string, message: string, code = 'invalid') => [
    { pointer: `/values/${at}/${member}`, code, message },
  ]
  if (!unit) return fault('unit_id', 'unit_id names no unit that you can see.', 'reference_not_found')
  const plan = value.rate_plan_id && unit.plans[value.rate_plan_id]
  if (value.rate_plan_id && !plan)
    return fault('rate_plan_id', 'rate_plan_id names no plan of this unit.', 'reference_not_found')
  if (plan && plan.status === 'archived') return fault('rate_plan_id', 'The rate plan is archived.')
  if ((value.blocked ?? 0) > unit.quantity)
    return fault('blocked', `blocked is more than the ${unit.quantity} rooms of the unit.`)
  if (nights.length === 0)
    return fault('date_to', 'The value names no night to come, in the time zone of the space.')
  const { price_cents: price } = value
  const { min_price_cents: minimum, currency } = unit
  if (typeof price === 'number' && price < (minimum ?? 0))
    return fault(
      'price_cents',
      `The night of ${dateOf(nights[0]!)} costs ${money(price, currency)}, below the minimum of ${money(minimum!, currency)}.`,
      'below_minimum',
    )
  return []
}

/** Nights that are past where the unit is are left out. */
const nightsToCome = (unit: CalendarUnit | undefined, { date_from, date_to, weekdays }: CalendarValue) =>
  unit ? daysBetween(Math.max(nightOf(date_from), unit.today), nightOf(date_to), weekdays) : []

function planned(
  values: readonly CalendarValue[],
  nightsOfValues: readonly (readonly number[])[],
  units: ReadonlyMap<string, CalendarUnit>,
): Plan {
  const terms: Layer<Terms>[] = []
  const blocks: Layer<Block>[] = []
  let [asked, from, to] = [0, Infinity, -Infinity]
  for (const [at, value] of values.entries()) {
    const unit = units.get(value.unit_id)!
    const nights = nightsOfValues[at]!
    from = Math.min(from, nights[0]!)
    to = Math.max(to, nights.at(-1)!)
    const named = termsOf(value)
    if (named.length > 0) {
      const key = `${unit.id} ${value.rate_plan_id ?? unit.default_plan_id}`
      terms.push({ key, nights, terms: Object.fromEntries(named.map((name) => [name, value[name]])) })
      asked += nights.length
    }
    if (value.blocked !== undefined) {
      const block = { blocked: value.blocked ?? 0, reason: value.reason ?? null }
      blocks.push({ key: unit.id, nights, terms: block })
      asked += nights.length
    }
  }
  if (asked > mostNights)
    throw semanticError('values', `One change may decide ${mostNights.toLocaleString('en')} nights at most.`)
  const plan = { terms: merged(terms), blocks: merged(blocks), from, to }
  const nights = [...plan.terms, ...plan.blocks].reduce((sum, layer) => sum + layer.nights.length, 0)
  return { ...plan, nights }
}

/** One entry for the whole change, whatever its size. */
async function audit(
  transaction: Transaction,
  id: string,
  values: readonly CalendarValue[],
  units: readonly CalendarUnit[],
): Promise<string> {
  const [first, ...others] = units
  const alike = others.every(({ account_id }) => account_id === first!.account_id)
  addAuditEntries(transaction, [
    {
      id,
      account_id: alike ? first!.account_id : transaction.accountId,
      ...(others.length === 0 && { unit_id: first!.id }),
      action: 'calendar.changed',
      trigger: 'change',
      actor: transaction.actor,
      changes: values.map((value) => ({ field: 'calendar', before: null, after: value })),
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
  const [, stamp] = await Promise.all([transaction.connection.flush(), changeStamp(transaction, id)])
  return stamp
}
