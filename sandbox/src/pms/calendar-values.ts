import { dayOf, todayIn } from '../dates.ts'
import { invalid, largestCents, orNull, record, text, whole, yesOrNo, type Check } from './checks.ts'

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

/** Terms that are left out stay as they are. `rate_plan` null is the room itself. */
export type RateValue = Range & { rate_plan: string | null } & {
  [term in (typeof termNames)[number]]?: number | boolean | null
}

export type Refused = { list: 'rooms' | 'rates'; index: number; code: string; message: string }

/** What the judge must know of the unit that a value names. */
export type Unknowns = {
  /** Undefined when there is no such unit. */
  timezoneOf: (externalId: string) => string | undefined
  /** Why a value is refused that is right in itself. */
  refuses: (value: RoomValue | RateValue) => { code: string; message: string } | undefined
}

const farthestNights = 1_830
const longestStay = 10_000

const place = { external_id: text(1, 1000), date_from: night, date_to: night }

const termChecks: Record<string, Check> = {
  price_cents: whole(0, largestCents),
  min_stay_arrival: whole(1, longestStay),
  min_stay_through: whole(1, longestStay),
  max_stay: orNull(whole(1, longestStay)),
  closed_to_arrival: yesOrNo,
  closed_to_departure: yesOrNo,
  stop_sell: yesOrNo,
}

const needed: Record<Refused['list'], Record<string, Check>> = {
  rooms: { ...place, available: whole(0, 10_000) },
  rates: { ...place, rate_plan: orNull(text(1, 255)) },
}
const optional: Record<Refused['list'], Record<string, Check>> = { rooms: {}, rates: termChecks }

/** The two lists of a message, whatever is in them. */
export function readLists(body: unknown): Record<Refused['list'], unknown[]> {
  const { rooms = [], rates = [], ...rest } = record(body, '')
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) throw invalid(unknown, 'is not known')
  if (!Array.isArray(rooms)) throw invalid('rooms', 'must be a list')
  if (!Array.isArray(rates)) throw invalid('rates', 'must be a list')
  return { rooms, rates }
}

/** Parts the values that can be taken from those that cannot. */
export function judge(lists: Record<Refused['list'], unknown[]>, unknowns: Unknowns) {
  const refused: Refused[] = []
  const pick = (list: Refused['list']) =>
    lists[list].filter((value, index) => {
      const fault = faultOf(list, value, unknowns)
      if (fault) refused.push({ list, index, ...fault })
      return !fault
    })
  const rooms = pick('rooms') as RoomValue[]
  const rates = pick('rates') as RateValue[]
  return { rooms, rates, refused }
}

function faultOf(list: Refused['list'], value: unknown, { timezoneOf, refuses }: Unknowns) {
  const message = malformed(list, value)
  if (message) return { code: 'invalid', message }
  const right = value as RoomValue | RateValue
  const timezone = timezoneOf(right.external_id)
  if (timezone === undefined) return { code: 'unknown_unit', message: 'the property has no such unit' }
  const today = todayAt(timezone)
  if ((dayOf(right.date_from) as number) < today)
    return { code: 'past_date', message: `${right.date_from} is over` }
  if ((dayOf(right.date_to) as number) > today + farthestNights)
    return { code: 'invalid', message: `date_to must not be more than ${farthestNights} nights ahead` }
  return refuses(right)
}

function malformed(list: Refused['list'], value: unknown): string | undefined {
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
  if (list === 'rates' && terms === 0) return 'the value says nothing of the nights'
  return String(given['date_from']) > String(given['date_to'])
    ? 'date_to must not be before date_from'
    : undefined
}

function night(value: unknown) {
  return dayOf(value) === undefined ? 'must be a date' : undefined
}

/** Today where the unit stands. Asked for every value, and it changes on a quarter of an hour only. */
function todayAt(timezone: string): number {
  const quarter = Math.floor(Date.now() / 900_000)
  const known = todays.get(timezone)
  if (known?.quarter === quarter) return known.today
  const today = todayIn(timezone, Date.now())
  todays.set(timezone, { quarter, today })
  return today
}

const todays = new Map<string, { quarter: number; today: number }>()
