import type { Account } from './store.ts'
import { isObject, whole, type Check, type Given } from './checks.ts'
import { dayOf, todayIn, weekdayNames } from '../data/dates.ts'
import type { Change, Night } from './inventory.ts'
import { toMinor } from './money.ts'
import type { Property } from './property.ts'
import type { RatePlan } from './rate-plan.ts'

/** What values are checked against. */
export type ReadContext = { account: Account; mayUse: (propertyId: string) => boolean; nowMs: number }

/** One value of a message: what it changes, or the warning about it. */
export type Read = { property: Property; changes: Change[] } | { warning: Record<string, string[]> }

export type Reader = (value: Given, context: ReadContext) => Read

export const readAvailability: Reader = (value, context) => {
  const { property, span, errors } = readPropertyAndDates(value, context)
  const room = context.account.room_types.get(String(value['room_type_id']))
  if (room === undefined || room.property_id !== property?.id) errors['room_type_id'] = ['is invalid']
  const availability = value['availability']
  const message = availability === undefined ? "can't be blank" : checkOf(availability, whole(0))
  if (message) errors['availability'] = [message]
  if (!property || !span || !room || Object.keys(errors).length > 0) return { warning: errors }
  return { property, changes: [{ of: room.id, ...span, set: { availability: Number(availability) } }] }
}

export const readRestrictions: Reader = (value, context) => {
  const { property, span, errors } = readPropertyAndDates(value, context)
  const plan = context.account.rate_plans.get(String(value['rate_plan_id']))
  if (plan === undefined || plan.property_id !== property?.id) errors['rate_plan_id'] = ['is invalid']
  const set: Night = {}
  for (const [name, { check, read }] of Object.entries(restrictions)) {
    if (value[name] === undefined) continue
    const message = checkOf(value[name], check)
    if (message) errors[name] = [message]
    else Object.assign(set, { [name]: read(value[name]) })
  }
  readMinStay(value, property, set, errors)
  const rates = plan ? readRates(value, plan, errors) : []
  if (Object.keys(errors).length === 0 && Object.keys(set).length + rates.length === 0)
    errors['restrictions'] = ['at least one restriction should be present']
  if (!property || !span || !plan || Object.keys(errors).length > 0) return { warning: errors }
  const changes = Object.keys(set).length > 0 ? [{ of: plan.id, ...span, set }] : []
  return { property, changes: [...changes, ...rates.map((rate) => ({ ...rate, ...span }))] }
}

const asNumber = { read: Number }
const asFlag = {
  check: (value: unknown) => ([true, false, 0, 1].some((one) => one === value) ? undefined : 'is invalid'),
  read: Boolean,
}

const restrictions: Record<string, { check: Check; read: (value: unknown) => number | boolean }> = {
  min_stay_arrival: { check: whole(1), ...asNumber },
  min_stay_through: { check: whole(1), ...asNumber },
  max_stay: { check: whole(0), ...asNumber },
  closed_to_arrival: asFlag,
  closed_to_departure: asFlag,
  stop_sell: asFlag,
}

/** `min_stay` means whichever of the two minimum stays the property uses. */
function readMinStay(
  value: Given,
  property: Property | undefined,
  set: Night,
  errors: Record<string, string[]>,
) {
  if (value['min_stay'] === undefined || !property) return
  const { min_stay_type: type } = property.settings
  const message = checkOf(value['min_stay'], whole(1))
  if (type === 'both')
    errors['min_stay'] = [
      "property doesn't support `min_stay` restriction, please use `min_stay_through` or `min_stay_arrival`",
    ]
  else if (message) errors['min_stay'] = [message]
  else set[`min_stay_${type}`] = Number(value['min_stay'])
}

/** `rate` belongs to the primary option; each of `rates` names its number of guests. */
function readRates(
  value: Given,
  plan: RatePlan,
  errors: Record<string, string[]>,
): { of: string; set: Night }[] {
  const { rate, rates } = value
  const given: { rate: unknown; of: string | undefined; field: string }[] = []
  if (rate !== undefined) given.push({ rate, of: plan.id, field: 'rate' })
  if (rates !== undefined && !Array.isArray(rates)) errors['rates'] = ['is invalid']
  for (const item of Array.isArray(rates) ? (rates as unknown[]) : []) {
    const { occupancy, rate } = isObject(item) ? item : {}
    given.push({
      rate,
      of: plan.options.find((option) => option.occupancy === occupancy)?.id,
      field: 'rates',
    })
  }
  return given.flatMap(({ rate, of, field }) => {
    const minor = toMinor(rate, plan.currency)
    if (rate === null) errors[field] = [notNull]
    else if (minor === undefined || of === undefined) errors[field] = ['is invalid']
    else if (minor <= 0) errors[field] = ['must be greater than 0']
    return minor === undefined || of === undefined ? [] : [{ of, set: { rateMinor: minor } }]
  })
}

type Span = { from: number; to: number; weekdays?: number[] }

function readPropertyAndDates(value: Given, { account, mayUse, nowMs }: ReadContext) {
  const errors: Record<string, string[]> = {}
  const id = String(value['property_id'])
  const property = mayUse(id) ? account.properties.get(id) : undefined
  if (!property) errors['property_id'] = ['is invalid']
  const today = todayIn(property?.timezone ?? null, nowMs)
  const names = (value['date'] ?? undefined) === undefined ? ['date_from', 'date_to'] : ['date']
  const [from = NaN, to = from] = names.map((name) => {
    const day = dayOf(value[name])
    if (value[name] === undefined || value[name] === null) errors[name] = ["can't be blank"]
    else if (day === undefined) errors[name] = ['is invalid']
    else if (day < today) errors[name] = ["can't be in the past"]
    return day
  })
  if (to < from) errors['date_to'] = ["can't be before date_from"]
  const weekdays = readWeekdays(value['days'], errors)
  // Nights beyond the end of the calendar are dropped.
  const last = today + (property?.settings.state_length ?? 0) - 1
  const span: Span | undefined = Number.isNaN(to)
    ? undefined
    : { from, to: Math.min(to, last), ...(weekdays && { weekdays }) }
  return { property, span, errors }
}

function readWeekdays(days: unknown, errors: Record<string, string[]>): number[] | undefined {
  if (days === undefined) return undefined
  const weekdays = Array.isArray(days) ? days.map((day) => weekdayNames.indexOf(String(day))) : []
  if (weekdays.length === 0 || weekdays.includes(-1)) errors['days'] = ['is invalid']
  return weekdays
}

const notNull = 'Should be a non null value or not existed field'

function checkOf(value: unknown, check: Check): string | undefined {
  return value === null ? notNull : check(value)
}
