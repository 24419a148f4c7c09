import type { Account } from './account.ts'
import { isObject, whole, type Check, type Given } from './checks.ts'
import { dayOf, todayIn, weekdayNames } from '../dates.ts'
import type { Change, Night } from './inventory.ts'
import { toMinor } from './money.ts'
import type { Property } from './property.ts'
import type { RatePlan } from './rate-plan.ts'

/** Where values are read: what there is, whose it is, and when. */
export type Site = { account: Account; mayUse: (propertyId: string) => boolean; nowMs: number }

/** One value of a message: what it changes, or what is wrong with it. */
export type Read = { property: Property; changes: Change[] } | { warning: Record<string, string[]> }

export type Reader = (value: Given, site: Site) => Read

export const readAvailability: Reader = (value, site) => {
  const { property, span, wrong } = whereAndWhen(value, site)
  const room = site.account.room_types.get(String(value['room_type_id']))
  if (room === undefined || room.property_id !== property?.id) wrong['room_type_id'] = ['is invalid']
  const availability = value['availability']
  const message = availability === undefined ? "can't be blank" : checkOf(availability, whole(0))
  if (message) wrong['availability'] = [message]
  if (!property || !span || !room || Object.keys(wrong).length > 0) return { warning: wrong }
  return { property, changes: [{ of: room.id, ...span, set: { availability: Number(availability) } }] }
}

export const readRestrictions: Reader = (value, site) => {
  const { property, span, wrong } = whereAndWhen(value, site)
  const plan = site.account.rate_plans.get(String(value['rate_plan_id']))
  if (plan === undefined || plan.property_id !== property?.id) wrong['rate_plan_id'] = ['is invalid']
  const set: Night = {}
  for (const [name, { check, read }] of Object.entries(restrictions)) {
    if (value[name] === undefined) continue
    const message = checkOf(value[name], check)
    if (message) wrong[name] = [message]
    else Object.assign(set, { [name]: read(value[name]) })
  }
  readMinStay(value, property, set, wrong)
  const rates = plan ? readRates(value, plan, wrong) : []
  if (Object.keys(wrong).length === 0 && Object.keys(set).length + rates.length === 0)
    wrong['restrictions'] = ['at least one restriction should be present']
  if (!property || !span || !plan || Object.keys(wrong).length > 0) return { warning: wrong }
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

/** One name for whichever of the two the property goes by. */
function readMinStay(
  value: Given,
  property: Property | undefined,
  set: Night,
  wrong: Record<string, string[]>,
) {
  if (value['min_stay'] === undefined || !property) return
  const { min_stay_type: type } = property.settings
  const message = checkOf(value['min_stay'], whole(1))
  if (type === 'both')
    wrong['min_stay'] = [
      "property doesn't support `min_stay` restriction, please use `min_stay_through` or `min_stay_arrival`",
    ]
  else if (message) wrong['min_stay'] = [message]
  else set[`min_stay_${type}`] = Number(value['min_stay'])
}

/** A bare `rate` is the primary option's; `rates` name the guests they are for. */
function readRates(
  value: Given,
  plan: RatePlan,
  wrong: Record<string, string[]>,
): { of: string; set: Night }[] {
  const { rate, rates } = value
  const asked: { rate: unknown; of: string | undefined; field: string }[] = []
  if (rate !== undefined) asked.push({ rate, of: plan.id, field: 'rate' })
  if (rates !== undefined && !Array.isArray(rates)) wrong['rates'] = ['is invalid']
  for (const one of Array.isArray(rates) ? (rates as unknown[]) : []) {
    const { occupancy, rate } = isObject(one) ? one : {}
    asked.push({
      rate,
      of: plan.options.find((option) => option.occupancy === occupancy)?.id,
      field: 'rates',
    })
  }
  return asked.flatMap(({ rate, of, field }) => {
    const minor = toMinor(rate, plan.currency)
    if (rate === null) wrong[field] = [notNull]
    else if (minor === undefined || of === undefined) wrong[field] = ['is invalid']
    else if (minor <= 0) wrong[field] = ['must be greater than 0']
    return minor === undefined || of === undefined ? [] : [{ of, set: { rateMinor: minor } }]
  })
}

type Span = { from: number; to: number; weekdays?: number[] }

function whereAndWhen(value: Given, { account, mayUse, nowMs }: Site) {
  const wrong: Record<string, string[]> = {}
  const id = String(value['property_id'])
  const property = mayUse(id) ? account.properties.get(id) : undefined
  if (!property) wrong['property_id'] = ['is invalid']
  const today = todayIn(property?.timezone ?? null, nowMs)
  const names = (value['date'] ?? undefined) === undefined ? ['date_from', 'date_to'] : ['date']
  const [from = NaN, to = from] = names.map((name) => {
    const day = dayOf(value[name])
    if (value[name] === undefined || value[name] === null) wrong[name] = ["can't be blank"]
    else if (day === undefined) wrong[name] = ['is invalid']
    else if (day < today) wrong[name] = ["can't be in the past"]
    return day
  })
  if (to < from) wrong['date_to'] = ["can't be before date_from"]
  const weekdays = readWeekdays(value['days'], wrong)
  // The calendar ends somewhere; what is said beyond it has no place to be kept.
  const last = today + (property?.settings.state_length ?? 0) - 1
  const span: Span | undefined = Number.isNaN(to)
    ? undefined
    : { from, to: Math.min(to, last), ...(weekdays && { weekdays }) }
  return { property, span, wrong }
}

function readWeekdays(days: unknown, wrong: Record<string, string[]>): number[] | undefined {
  if (days === undefined) return undefined
  const weekdays = Array.isArray(days) ? days.map((day) => weekdayNames.indexOf(String(day))) : []
  if (weekdays.length === 0 || weekdays.includes(-1)) wrong['days'] = ['is invalid']
  return weekdays
}

const notNull = 'Should be a non null value or not existed field'

function checkOf(value: unknown, check: Check): string | undefined {
  return value === null ? notNull : check(value)
}
