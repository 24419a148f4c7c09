import type { Account } from './store.ts'
import type { Caller } from './access.ts'
import { dateOf, dayOf, todayIn, weekdayOf } from '../data/dates.ts'
import { toDecimal } from './money.ts'
import type { Property } from './property.ts'
import type { Option, RatePlan } from './rate-plan.ts'
import { badRequest, unauthorized } from './errors.ts'

export type ReadBackContext = { account: Account; caller: Caller; nowMs: number }

export function readBackAvailability(query: URLSearchParams, context: ReadBackContext) {
  const { property, days } = readQuery(query, context)
  const rooms = [...context.account.room_types.values()].filter((room) => room.property_id === property.id)
  const nights = (id: string) =>
    days.map((day) => [dateOf(day), context.account.night(id, day).availability ?? 0])
  return { data: Object.fromEntries(rooms.map(({ id }) => [id, Object.fromEntries(nights(id))])) }
}

/** By rate plan and date; the further options of a plan appear under their own ids. */
export function readBackRestrictions(query: URLSearchParams, context: ReadBackContext) {
  const names = query.get('filter[restrictions]')?.split(',').filter(Boolean) ?? []
  if (names.length === 0) throw badRequest('restrictions is required')
  const { property, days } = readQuery(query, context)
  const plans = [...context.account.rate_plans.values()].filter((plan) => plan.property_id === property.id)
  const data = plans.flatMap((plan) =>
    plan.options.map((option) => {
      const nights = days.map((day) => [
        dateOf(day),
        pick(nightOf(plan, option, day, property, context.account), names),
      ])
      return [option.id, Object.fromEntries(nights) as object]
    }),
  )
  return { data: Object.fromEntries(data) as object }
}

function nightOf(plan: RatePlan, option: Option, day: number, { settings }: Property, account: Account) {
  const weekday = weekdayOf(day)
  const { rateMinor: _, ...sent } = account.night(plan.id, day)
  const night = {
    min_stay_arrival: plan.min_stay_arrival[weekday],
    min_stay_through: plan.min_stay_through[weekday],
    max_stay: plan.max_stay[weekday],
    closed_to_arrival: plan.closed_to_arrival[weekday],
    closed_to_departure: plan.closed_to_departure[weekday],
    stop_sell: plan.stop_sell[weekday],
    ...sent,
    availability: account.night(plan.room_type_id, day).availability ?? 0,
    rate: toDecimal(account.night(option.id, day).rateMinor ?? option.rateMinor, plan.currency),
    availability_offset: null,
    max_availability: null,
  }
  const { min_stay_type: type } = settings
  return type === 'both' ? night : { ...night, min_stay: night[`min_stay_${type}`] }
}

function readQuery(query: URLSearchParams, { account, caller, nowMs }: ReadBackContext) {
  const id = query.get('filter[property_id]')
  if (id === null) throw badRequest('property_id is required')
  const property = caller.mayUse(id) ? account.properties.get(id) : undefined
  if (!property) throw unauthorized()
  const one = query.get('filter[date]')
  const from = query.get('filter[date][gte]') ?? one
  const to = query.get('filter[date][lte]') ?? one
  if (from === null || to === null) throw badRequest('date is required')
  const [first, last] = [dayOf(from), dayOf(to)]
  if (first === undefined || last === undefined) throw badRequest('date is invalid')
  const today = todayIn(property.timezone, nowMs)
  const days: number[] = []
  const end = Math.min(last, today + property.settings.state_length - 1)
  for (let day = Math.max(first, today); day <= end; day += 1) days.push(day)
  return { property, days }
}

function pick(night: Record<string, unknown>, names: string[]) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(night, name)).map((name) => [name, night[name]]),
  )
}
