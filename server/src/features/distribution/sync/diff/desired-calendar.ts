import { nightOf } from '#schema/nights.ts'
import { termNames, type PlanLink, type TermName } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { emptyGrid, emptyTerms, type CalendarGrid, type CellValue } from './calendar-grid.ts'
import type { DesiredUnit } from './desired-queries.ts'

/** The defaults of a night of a plan, in the order of `termNames`, without the price. */
const defaults = {
  min_stay_arrival: 1,
  min_stay_through: 1,
  max_stay: 0,
  closed_to_arrival: 0,
  closed_to_departure: 0,
}

export interface DesiredNights {
  first_night: string
  last_night: string
  taken: readonly [number, number][]
  /** By plan. */
  decided: ReadonlyMap<string, readonly [number, ...(number | boolean | null)[]][]>
}

/** The calendar that the PMS must show for a unit: rooms, and the terms of each linked plan. */
export function buildDesiredGrid(
  unit: DesiredUnit,
  links: readonly PlanLink[],
  provider: Provider,
  { first_night, last_night, taken, decided }: DesiredNights,
): CalendarGrid {
  const first = nightOf(first_night)
  const count = nightOf(last_night) - first + 1
  const values = emptyGrid(first, count)
  const isOpen = unit.unit.status === 'active' && unit.space.status === 'active'
  const { quantity } = unit.unit
  values.rooms.fill(isOpen ? quantity : 0)
  if (isOpen) for (const [night, rooms] of taken) values.rooms[night] = Math.max(0, quantity - rooms)

  for (const { plan } of links) {
    const facts = unit.plans.find(({ id }) => id === plan)
    const terms = emptyTerms(count)
    terms.price_cents.fill(unit.unit.base_price_cents)
    for (const [term, value] of Object.entries(defaults)) terms[term as keyof typeof defaults].fill(value)
    const isStopped = unit.stopped || !facts?.is_sold
    terms.stop_sell.fill(isStopped ? 1 : 0)
    for (const [night, ...given] of decided.get(plan) ?? [])
      termNames.forEach((term, column) => {
        const value = given[column]
        if (value === null || value === undefined) return
        terms[term][night] = term === 'stop_sell' && isStopped ? 1 : Number(value)
      })
    closeBelowMinimum(terms, unit.min_price_cents)
    values.plans.set(plan, terms)
  }
  if (provider.stopSellAsNoRooms) stopsToRooms(values)
  return values
}

/**
 * A price below the minimum is never pushed: the night is closed instead. Such nights exist only after a change of
 * the time zone, or from a release without minimum prices.
 */
function closeBelowMinimum(terms: Record<TermName, CellValue[]>, minimum: number | null): void {
  if (minimum === null) return
  terms.price_cents.forEach((price, night) => {
    if (price! >= minimum) return
    terms.price_cents[night] = minimum
    terms.stop_sell[night] = 1
  })
}

/** For a PMS without stop sell: a stopped night has no rooms. */
function stopsToRooms({ rooms, plans }: CalendarGrid): void {
  for (const { stop_sell } of plans.values())
    stop_sell.forEach((stopped, night) => {
      if (stopped === 1) rooms[night] = 0
    })
}

/**
 * The rate plans that are sent to the PMS, with their ids there: those that the listing maps. The default plan stands
 * for the room itself where the PMS allows terms on a room.
 */
export function linkedPlans(
  unit: Pick<DesiredUnit, 'plans'>,
  mapped: readonly { rate_plan_id: string; external_id: string }[],
  { hasPlans, roomHasTerms }: Provider,
): PlanLink[] {
  const links: PlanLink[] = hasPlans
    ? mapped
        .filter(({ rate_plan_id }) => unit.plans.some(({ id }) => id === rate_plan_id))
        .map(({ rate_plan_id, external_id }) => ({ plan: rate_plan_id, externalId: external_id }))
    : []
  const standard = unit.plans.find(({ is_default }) => is_default)
  if (roomHasTerms && standard && !links.some(({ plan }) => plan === standard.id))
    links.unshift({ plan: standard.id, externalId: null })
  return links
}
