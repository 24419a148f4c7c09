import type { contract } from '@vacancy/client'

import type { Night } from './night-terms.ts'
import { dateOf, weekdayOf } from './nights.ts'
import type { Weekday } from './nights.ts'

type CalendarValue = contract.CalendarChangeInput['values'][number]

export type PriceEdit =
  | { kind: 'keep' }
  | { kind: 'set'; cents: number }
  | { kind: 'percent'; percent: number }
  | { kind: 'add'; cents: number }
  | { kind: 'default' }

/** What the editor decides; null leaves a term as it is. */
export interface ChangeDraft {
  weekdays: readonly Weekday[]
  price: PriceEdit
  minStay: number | null
  closedToArrival: boolean | null
  closedToDeparture: boolean | null
  stopSell: boolean | null
  block: 'keep' | 'block' | 'unblock'
  reason: string
}

export interface SelectedUnit {
  id: string
  quantity: number
  basePriceCents: number
  minPriceCents: number | null
  /** The selected nights that are loaded, with their days. */
  nights: readonly { day: number; night: Night }[]
}

/** Why a person should look again before a price is saved. */
export type PriceWarning = 'zero' | 'belowMinimum' | 'overHalf'

export interface PricePreview {
  nights: number
  beforeCents: [min: number, max: number] | null
  afterCents: [min: number, max: number] | null
  warnings: PriceWarning[]
}

export const priceAfter = (edit: PriceEdit, beforeCents: number, baseCents: number): number => {
  if (edit.kind === 'set') return edit.cents
  if (edit.kind === 'percent') return Math.max(0, Math.round((beforeCents * (100 + edit.percent)) / 100))
  if (edit.kind === 'add') return Math.max(0, beforeCents + edit.cents)
  return edit.kind === 'default' ? baseCents : beforeCents
}

/** The prices before and after a change, and what is suspicious about them. */
export const previewPrices = (units: readonly SelectedUnit[], draft: ChangeDraft): PricePreview => {
  const before: number[] = []
  const after: number[] = []
  const warnings = new Set<PriceWarning>()
  for (const { nights, basePriceCents, minPriceCents } of units)
    for (const { day, night } of nights) {
      if (!draft.weekdays.includes(weekdayOf(day)) || night.priceCents === null) continue
      const price = priceAfter(draft.price, night.priceCents, basePriceCents)
      before.push(night.priceCents)
      after.push(price)
      if (draft.price.kind === 'keep') continue
      if (price === 0) warnings.add('zero')
      if (minPriceCents !== null && price < minPriceCents) warnings.add('belowMinimum')
      if (price < night.priceCents / 2) warnings.add('overHalf')
    }
  const range = (values: number[]): [number, number] | null =>
    values.length > 0 ? [Math.min(...values), Math.max(...values)] : null
  return {
    nights: before.length,
    beforeCents: range(before),
    afterCents: range(after),
    warnings: [...warnings],
  }
}

/** The change for the API: one value per unit, or one per run of equal prices where the price is relative. */
export const valuesOf = (units: readonly SelectedUnit[], draft: ChangeDraft): CalendarValue[] =>
  units.flatMap((unit) => {
    const [first, last] = [unit.nights[0], unit.nights.at(-1)]
    if (!first || !last) return []
    const range = { unit_id: unit.id, date_from: dateOf(first.day), date_to: dateOf(last.day) }
    const days = draft.weekdays.length < 7 ? { weekdays: [...draft.weekdays] } : {}
    const terms = termsOf(draft, unit.quantity)
    const isRelative = draft.price.kind === 'percent' || draft.price.kind === 'add'
    const shared = Object.keys(terms).length > 0 ? [{ ...range, ...days, ...terms }] : []
    return isRelative ? [...shared, ...relativePrices(unit, draft)] : shared
  })

const termsOf = (draft: ChangeDraft, quantity: number): Partial<CalendarValue> => ({
  ...(draft.price.kind === 'set' && { price_cents: draft.price.cents }),
  ...(draft.price.kind === 'default' && { price_cents: null }),
  ...(draft.minStay !== null && { min_stay_arrival: draft.minStay }),
  ...(draft.closedToArrival !== null && { closed_to_arrival: draft.closedToArrival }),
  ...(draft.closedToDeparture !== null && { closed_to_departure: draft.closedToDeparture }),
  ...(draft.stopSell !== null && { stop_sell: draft.stopSell }),
  ...(draft.block === 'block' && { blocked: quantity, ...(draft.reason && { reason: draft.reason }) }),
  ...(draft.block === 'unblock' && { blocked: 0 }),
})

const relativePrices = (unit: SelectedUnit, draft: ChangeDraft): CalendarValue[] => {
  const values: (CalendarValue & { price_cents: number; lastDay: number })[] = []
  for (const { day, night } of unit.nights) {
    if (!draft.weekdays.includes(weekdayOf(day)) || night.priceCents === null) continue
    const price = priceAfter(draft.price, night.priceCents, unit.basePriceCents)
    const run = values.at(-1)
    if (run && run.lastDay === day - 1 && run.price_cents === price)
      Object.assign(run, { lastDay: day, date_to: dateOf(day) })
    else
      values.push({
        unit_id: unit.id,
        date_from: dateOf(day),
        date_to: dateOf(day),
        price_cents: price,
        lastDay: day,
      })
  }
  return values.map(({ lastDay: _, ...value }) => value)
}

/** A night after a change, shown before the API has answered. */
export const applyDraft = (unit: SelectedUnit, draft: ChangeDraft, day: number, night: Night): Night => {
  if (!draft.weekdays.includes(weekdayOf(day))) return night
  const blocked = draft.block === 'block' ? unit.quantity : draft.block === 'unblock' ? 0 : night.blocked
  return {
    ...night,
    priceCents:
      night.priceCents === null ? null : priceAfter(draft.price, night.priceCents, unit.basePriceCents),
    minStay: draft.minStay ?? night.minStay,
    closedToArrival: draft.closedToArrival ?? night.closedToArrival,
    closedToDeparture: draft.closedToDeparture ?? night.closedToDeparture,
    stopSell: draft.stopSell ?? night.stopSell,
    blocked,
    reason: draft.block === 'block' ? draft.reason || null : draft.block === 'unblock' ? null : night.reason,
    available: Math.max(0, unit.quantity - night.booked - blocked),
  }
}
