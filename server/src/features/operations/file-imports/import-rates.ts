import { sql } from '#db/sql.ts'
import { atSavepoint, first, type Transaction } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import { changeCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { errorsOfValue, type CalendarValue } from '#features/inventory/calendar/calendar-change.ts'
import { findUnitOf, type FoundUnit, type KnownUnits } from './find-units.ts'
import { openRow, readPrice, type RowReader } from './read-row.ts'
import type { FileImportState } from './queries.ts'
import { erased, toRowErrors, type RowImporter } from './import-rows.ts'
import type { FileRow, RowResult } from './file-rows.ts'

/** A row with what it sets. */
interface RateRow {
  readonly position: number
  readonly key: string
  readonly value: CalendarValue
}

/** Sets prices and restrictions, with one change for each unit. The same file again changes nothing. */
export const importRates: RowImporter = async (transaction, state, found) => {
  const results: RowResult[] = []
  const rates: RateRow[] = []
  const known: KnownUnits = new Map()
  for (const row of found) {
    const read = await readRate(transaction, state, row, known)
    if ('value' in read) rates.push(read)
    else results.push(read)
  }
  // In the order in which changes of many units lock them. Otherwise they and an import stop each other.
  const ofUnits = [...Map.groupBy(rates, ({ value }) => value.unit_id)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  for (const [, ofUnit] of ofUnits) results.push(...(await changeUnit(transaction, state, ofUnit)))
  return results
}

/** Rows that our rules refuse are left out, and the others are tried again without them. */
async function changeUnit(
  transaction: Transaction,
  state: FileImportState,
  rates: readonly RateRow[],
): Promise<RowResult[]> {
  if (rates.length === 0) return []
  try {
    await atSavepoint(transaction, (inner) =>
      changeCalendar(
        inner,
        rates.map(({ value }) => value),
        origin,
      ),
    )
    return rates.map(({ position, key, value }) => ({
      position,
      key,
      action: 'update',
      record_id: value.unit_id,
    }))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const refused = new Map<number, RowResult>()
    for (const one of error.errors) {
      const at = Number(/^\/values\/(\d+)/.exec(one.pointer)?.[1] ?? -1)
      const row = rates[at]
      if (row && !refused.has(at))
        refused.set(at, {
          position: row.position,
          action: 'error',
          errors: toRowErrors(Object.assign(Object.create(error), { errors: [one] }) as DomainError, state),
        })
    }
    // An error about none of the rows is about all of them.
    if (refused.size === 0)
      return rates.map(({ position }) => ({ position, action: 'error', errors: toRowErrors(error, state) }))
    const rest = rates.filter((_, at) => !refused.has(at))
    return [...refused.values(), ...(await changeUnit(transaction, state, rest))]
  }
}

/** The nights are in the calendar change; the history says where they came from. */
const origin = {
  skipsPast: true,
  changes: [{ field: 'calendar', before: null, after: 'imported from a file' }],
}

async function readRate(
  transaction: Transaction,
  state: FileImportState,
  { position, cells }: FileRow,
  known: KnownUnits,
): Promise<RateRow | RowResult> {
  if (!cells) return { position, action: 'error', errors: [erased] }
  const row = openRow(cells, state)
  const unit = await findUnitOf(transaction, row, known)
  const value = await readValue(transaction, row, unit)
  if (!unit || !value || row.errors.length > 0) return { position, action: 'error', errors: row.errors }
  // Nights that are over stay as they are.
  if (value.date_to < unit.today) return { position, action: 'skip' }
  const errors = errorsOfValue(value, 0).map(({ code, message }) => ({
    column: null,
    code,
    message,
    value: null,
  }))
  if (errors.length > 0) return { position, action: 'error', errors }
  const { unit_id, rate_plan_id = '', date_from, date_to } = value
  return { position, value, key: [unit_id, rate_plan_id, date_from, date_to].join(' ') }
}

/** Without a unit, only the errors of the row. */
async function readValue(
  transaction: Transaction,
  row: RowReader,
  unit: FoundUnit | undefined,
): Promise<CalendarValue | undefined> {
  const from = row.required('date_from', row.date('date_from'))
  const planName = row.text('rate_plan', 255)
  const plan = planName && unit && (await findPlan(transaction, unit.id, planName))
  if (planName && unit && !plan)
    row.fail('rate_plan', 'reference_not_found', 'The unit has no rate plan with this name.')
  const terms = {
    price_cents: unit && readPrice(row, 'price', unit.currency),
    min_stay_arrival: row.integer('min_stay_arrival', 1, 999),
    min_stay_through: row.integer('min_stay_through', 1, 999),
    max_stay: row.integer('max_stay', 1, 999),
    closed_to_arrival: row.flag('closed_to_arrival'),
    closed_to_departure: row.flag('closed_to_departure'),
    stop_sell: row.flag('stop_sell'),
  }
  const to = row.date('date_to') ?? from
  if (!unit || from === undefined || to === undefined) return undefined
  return {
    ...{ unit_id: unit.id, date_from: from, date_to: to, ...(plan && { rate_plan_id: plan.id }) },
    ...(Object.fromEntries(
      Object.entries(terms).filter(([, value]) => value !== undefined),
    ) as Partial<CalendarValue>),
  }
}

const findPlan = (transaction: Transaction, unitId: string, name: string) =>
  first(
    transaction,
    sql<{ id: string }>`
      select id
      from rate_plans
      where org_id = ${transaction.orgId}
        and unit_id = ${unitId}
        and (lower(name) = lower(${name}) or id::text = lower(${name}))
        and status = 'active'
      order by created_at, id
      limit 1`,
  )
