import { dayOf, todayIn } from '../data/dates.ts'
import { invalid, maxCents, orNull, record, text, integer, boolean, type Check } from './checks.ts'

/** The last night is included. */
type Range = { external_id: string; date_from: string; date_to: string }

export type RoomValue = Range & { available: number }

export const termNames = [
  'price_cents',
  'min_stay_arrival',
  'min_stay_through',
  'max_stay',
  'closed_to_arrival',
  'closed_to_departure',
  'stop_sell',
] as const

/** A term that is left out stays as it is. `rate_plan` null is the room itself. */
export type RateValue = Range & { rate_plan: string | null } & {
  [term in (typeof termNames)[number]]?: number | boolean | null
}

export type RefusedValue = { list: 'rooms' | 'rates'; index: number; code: string; message: string }

/** What values are checked against. */
export type ValueContext = {
  /** Undefined when the unit does not exist. */
  timezoneOf: (externalId: string) => string | undefined
  /** The error of a value that is valid but refused by a rule of faults. */
  refuses: (value: RoomValue | RateValue) => { code: string; message: string } | undefined
}

const maxNightsAhead = 1_830
const maxStayNights = 10_000

const place = { external_id: text(1, 1000), date_from: night, date_to: night }

const termChecks: Record<string, Check> = {
  price_cents: integer(0, maxCents),
  min_stay_arrival: integer(1, maxStayNights),
  min_stay_through: integer(1, maxStayNights),
  max_stay: orNull(integer(1, maxStayNights)),
  closed_to_arrival: boolean,
  closed_to_departure: boolean,
  stop_sell: boolean,
}

const needed: Record<RefusedValue['list'], Record<string, Check>> = {
  rooms: { ...place, available: integer(0, 10_000) },
  rates: { ...place, rate_plan: orNull(text(1, 255)) },
}
const optional: Record<RefusedValue['list'], Record<string, Check>> = { rooms: {}, rates: termChecks }

/** The two lists of a body; their values are not checked yet. */
export function readLists(body: unknown): Record<RefusedValue['list'], unknown[]> {
  const { rooms = [], rates = [], ...rest } = record(body, '')
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) throw invalid(unknown, 'is not known')
  if (!Array.isArray(rooms)) throw invalid('rooms', 'must be a list')
  if (!Array.isArray(rates)) throw invalid('rates', 'must be a list')
  return { rooms, rates }
}

/** Splits the values into valid and refused ones. */
export function validateValues(lists: Record<RefusedValue['list'], unknown[]>, context: ValueContext) {
  const refused: RefusedValue[] = []
  const pick = (list: RefusedValue['list']) =>
    lists[list].filter((value, index) => {
      const fault = errorOf(list, value, context)
      if (fault) refused.push({ list, index, ...fault })
      return !fault
    })
  const rooms = pick('rooms') as RoomValue[]
  const rates = pick('rates') as RateValue[]
  return { rooms, rates, refused }
}

function errorOf(list: RefusedValue['list'], value: unknown, { timezoneOf, refuses }: ValueContext) {
  const message = formatError(list, value)
  if (message) return { code: 'invalid', message }
  const valid = value as RoomValue | RateValue
  const timezone = timezoneOf(valid.external_id)
  if (timezone === undefined) return { code: 'unknown_unit', message: 'the property has no such unit' }
  const today = todayAt(timezone)
  if ((dayOf(valid.date_from) as number) < today)
    return { code: 'past_date', message: `${valid.date_from} is over` }
  if ((dayOf(valid.date_to) as number) > today + maxNightsAhead)
    return { code: 'invalid', message: `date_to must not be more than ${maxNightsAhead} nights ahead` }
  return refuses(valid)
}

function formatError(list: RefusedValue['list'], value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'the value must be an object'
  const given = value as Record<string, unknown>
  for (const [name, check] of Object.entries(needed[list])) {
    if (given[name] === undefined) return `${name} is missing`
    const message = check(given[name])
    if (message) return `${name} ${message}`
  }
  let terms = 0
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(needed[list], name)) continue
    if (!Object.hasOwn(optional[list], name)) return `${name} is not known`
    const message = optional[list][name]?.(given[name])
    if (message) return `${name} ${message}`
    terms += 1
  }
  if (list === 'rates' && terms === 0) return 'the value sets nothing'
  return String(given['date_from']) > String(given['date_to'])
    ? 'date_to must not be before date_from'
    : undefined
}

function night(value: unknown) {
  return dayOf(value) === undefined ? 'must be a date' : undefined
}

/** Today in the time zone of the unit. Cached for each quarter hour, because every value needs it. */
function todayAt(timezone: string): number {
  const quarter = Math.floor(Date.now() / 900_000)
  const known = todays.get(timezone)
  if (known?.quarter === quarter) return known.today
  const today = todayIn(timezone, Date.now())
  todays.set(timezone, { quarter, today })
  return today
}

const todays = new Map<string, { quarter: number; today: number }>()
