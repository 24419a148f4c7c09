import { randomUUID } from 'node:crypto'
import {
  cast,
  currency,
  everyDay,
  flag,
  isObject,
  list,
  object,
  oneOf,
  positive,
  text,
  whole,
} from './checks.ts'
import type { Check, Fields, Given } from './checks.ts'
import { toDecimal, toMinor } from './money.ts'
import type { RoomType } from './room-type.ts'

/** The price for a number of guests. The primary option has the id of its plan. */
export type Option = { id: string; occupancy: number; is_primary: boolean; rateMinor: number }

export type RatePlan = {
  id: string
  property_id: string
  room_type_id: string
  title: string
  currency: string
  sell_mode: string
  options: Option[]
} & Record<Restriction, unknown[]>

const restrictions = [
  'max_stay',
  'min_stay_arrival',
  'min_stay_through',
  'closed_to_arrival',
  'closed_to_departure',
  'stop_sell',
] as const
type Restriction = (typeof restrictions)[number]

const meals =
  'none all_inclusive breakfast lunch dinner american bed_and_breakfast buffet_breakfast carribean_breakfast ' +
  'continental_breakfast english_breakfast european_plan family_plan full_board full_breakfast half_board ' +
  'room_only self_catering bermuda dinner_bed_and_breakfast_plan family_american breakfast_and_lunch ' +
  'lunch_and_dinner'

const fee: Check = (value) => {
  const minor = toMinor(value, 'USD')
  return minor === undefined || minor < 0 ? 'is invalid' : undefined
}

const week = (value: unknown) => Array.from({ length: 7 }, () => value)

const fields: Fields = {
  property_id: { check: text(36), required: true },
  room_type_id: { check: text(36), required: true },
  title: { check: text(255), required: true },
  options: { check: list, required: true },
  currency: { check: currency },
  sell_mode: { check: oneOf('per_room', 'per_person'), fallback: 'per_room' },
  rate_mode: { check: oneOf('manual', 'derived', 'auto', 'cascade'), fallback: 'manual' },
  parent_rate_plan_id: { check: text(36) },
  auto_rate_settings: { check: object },
  meal_type: { check: oneOf(...meals.split(' ')), fallback: 'none' },
  children_fee: { check: fee, fallback: '0.00' },
  infant_fee: { check: fee, fallback: '0.00' },
  max_stay: { check: everyDay(whole(0)), fallback: week(0) },
  min_stay_arrival: { check: everyDay(whole(1)), fallback: week(1) },
  min_stay_through: { check: everyDay(whole(1)), fallback: week(1) },
  closed_to_arrival: { check: everyDay(flag), fallback: week(false) },
  closed_to_departure: { check: everyDay(flag), fallback: week(false) },
  stop_sell: { check: everyDay(flag), fallback: week(false) },
}

/** What a plan is checked against: the caller's room types, the other plans, the currency of its property. */
export type RatePlanContext = {
  roomType: (id: string) => RoomType | undefined
  plans: Iterable<RatePlan>
  currencyOf: (propertyId: string) => string | undefined
}

export function readRatePlan(
  given: Given,
  before: RatePlan | undefined,
  context: RatePlanContext,
  id: string = before?.id ?? randomUUID(),
): RatePlan {
  const home = before && { property_id: before.property_id, room_type_id: before.room_type_id }
  const read = cast(
    { ...given, ...home },
    fields,
    before && { ...before, options: optionsAsSent(before) },
    (read) => crossCheck(read, id, context),
  )
  const planCurrency = resolveCurrency(read, context)
  const daily = restrictions.map((name) => [name, Array.isArray(read[name]) ? read[name] : week(read[name])])
  const options = (read['options'] as Given[]).map((option) => ({
    id: option['is_primary'] === true ? id : (idOf(before, option['occupancy']) ?? randomUUID()),
    occupancy: option['occupancy'],
    is_primary: option['is_primary'],
    rateMinor: toMinor(option['rate'] ?? 0, planCurrency) ?? 0,
  }))
  const fees = { children_fee: feeOf(read['children_fee']), infant_fee: feeOf(read['infant_fee']) }
  return { ...read, ...Object.fromEntries(daily), ...fees, id, currency: planCurrency, options } as RatePlan
}

export function showRatePlan({ id, property_id, room_type_id, options, ...attributes }: RatePlan) {
  return {
    type: 'rate_plan',
    id,
    attributes: {
      id,
      ...attributes,
      options: options.map(({ rateMinor, ...option }) => ({
        ...option,
        derived_option: null,
        rate: toDecimal(rateMinor, attributes.currency),
      })),
    },
    relationships: {
      room_type: { data: { type: 'room_type', id: room_type_id } },
      property: { data: { type: 'property', id: property_id } },
    },
  }
}

function crossCheck(read: Given, id: string, context: RatePlanContext): Record<string, string[]> {
  const { roomType, plans } = context
  const room = roomType(String(read['room_type_id']))
  if (!room) return { room_type_id: ['is invalid'] }
  if (room.property_id !== read['property_id']) return { property_id: ['is invalid'] }
  if (read['rate_mode'] === 'auto' && !read['auto_rate_settings'])
    return { auto_rate_settings: ["can't be blank"] }
  for (const plan of plans) {
    if (plan.id !== id && plan.property_id === room.property_id && plan.title === read['title'])
      return { title: ['has already been taken'] }
  }
  const message = optionsError(read['options'] as unknown[], room, resolveCurrency(read, context))
  return message === undefined ? {} : { options: [message] }
}

/** The plan's own currency, or that of its property, which is known to exist by now. */
function resolveCurrency(read: Given, { currencyOf }: RatePlanContext): string {
  return (read['currency'] as string | null) ?? (currencyOf(String(read['property_id'])) as string)
}

function optionsError(
  options: unknown[],
  { occ_adults: maxOccupancy }: RoomType,
  planCurrency: string,
): string | undefined {
  if (options.length === 0) return "can't be blank"
  for (const option of options) {
    if (!isObject(option) || positive(option['occupancy']) || flag(option['is_primary'])) return 'is invalid'
    const rate = toMinor(option['rate'] ?? 0, planCurrency)
    if (rate === undefined || rate < 0) return 'is invalid'
    const occupancy = Number(option['occupancy'])
    if (occupancy > maxOccupancy)
      return `occupancy ${occupancy} exceeds the room type's max adults occupancy of ${maxOccupancy}`
  }
  const given = options as Given[]
  if (new Set(given.map((option) => option['occupancy'])).size < given.length) return 'is invalid'
  return given.filter((option) => option['is_primary']).length === 1 ? undefined : 'is invalid'
}

const idOf = (before: RatePlan | undefined, occupancy: unknown) =>
  before?.options.find((option) => option.occupancy === occupancy && !option.is_primary)?.id

/** Kept amounts are smallest units, which is how whole numbers are read. */
const optionsAsSent = ({ options }: RatePlan) =>
  options.map(({ rateMinor, ...option }) => ({ ...option, rate: rateMinor }))

const feeOf = (value: unknown) => toDecimal(toMinor(value, 'USD') ?? 0, 'USD')
