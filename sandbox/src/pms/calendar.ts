import { dateOf, dayOf } from '../data/dates.ts'
import { termNames, type RateValue, type RoomValue } from './calendar-values.ts'
import { openNights, type Nights, type Run } from './nights.ts'

/** The nights of a unit. `plans` is by rate plan; null is the room itself. */
type UnitNights = { rooms: Nights; plans: Map<string | null, Nights> }

export type CalendarValues = { rooms: RoomValue[]; rates: RateValue[] }

export type Calendar = ReturnType<typeof openCalendar>

/** The nights of every unit, in memory. */
export function openCalendar() {
  const properties = new Map<string, Map<string, UnitNights>>()

  return {
    save(property: string, { rooms, rates }: CalendarValues) {
      const units = properties.get(property) ?? new Map<string, UnitNights>()
      properties.set(property, units)
      for (const value of rooms) unitOf(units, value).rooms.set(...rangeOf(value), [value.available])
      for (const value of rates)
        planOf(unitOf(units, value), value).set(...rangeOf(value), termNumbers(value))
    },

    /** One unit between two days. Equal adjacent nights are one run. */
    show(property: string, externalId: string, from: number, to: number) {
      const unit = properties.get(property)?.get(externalId)
      const rooms = unit ? Array.from(unit.rooms.runs(from, to), roomRun) : []
      const rates = [...(unit?.plans ?? [])].flatMap(([plan, nights]) =>
        Array.from(nights.runs(from, to), (run) => rateRun(plan, run)),
      )
      return { external_id: externalId, rooms, rates }
    },

    /** All values, unit by unit, in the form in which they are saved. */
    *all(): Generator<{ property: string } & CalendarValues> {
      for (const [property, units] of properties) {
        for (const external_id of units.keys()) {
          const { rooms, rates } = this.show(property, external_id, -Infinity, Infinity)
          const named = <Value extends object>(value: Value) => ({ external_id, ...value })
          yield { property, rooms: rooms.map(named), rates: rates.map(named) }
        }
      }
    },
  }
}

function unitOf(units: Map<string, UnitNights>, { external_id }: { external_id: string }): UnitNights {
  let unit = units.get(external_id)
  if (!unit) units.set(external_id, (unit = { rooms: openNights(1), plans: new Map() }))
  return unit
}

function planOf({ plans }: UnitNights, { rate_plan }: RateValue): Nights {
  let plan = plans.get(rate_plan)
  if (!plan) plans.set(rate_plan, (plan = openNights(termNames.length)))
  return plan
}

function rangeOf({ date_from, date_to }: RoomValue | RateValue): [number, number] {
  return [dayOf(date_from) as number, dayOf(date_to) as number]
}

/** True is 1, false is 0, and a maximum stay of null is 0. */
function termNumbers(value: RateValue) {
  return termNames.map((term) => (value[term] === undefined ? undefined : Number(value[term])))
}

function roomRun({ from, to, values }: Run) {
  return { date_from: dateOf(from), date_to: dateOf(to), available: values[0] as number }
}

function rateRun(rate_plan: string | null, { from, to, set, values }: Run) {
  const run: Omit<RateValue, 'external_id'> = { rate_plan, date_from: dateOf(from), date_to: dateOf(to) }
  termNames.forEach((term, column) => {
    if (set & (1 << column)) run[term] = termOf(term, values[column] as number)
  })
  return run
}

function termOf(term: (typeof termNames)[number], value: number) {
  switch (term) {
    case 'price_cents':
    case 'min_stay_arrival':
    case 'min_stay_through':
      return value
    case 'max_stay':
      return value === 0 ? null : value
    case 'closed_to_arrival':
    case 'closed_to_departure':
    case 'stop_sell':
      return value === 1
  }
}
