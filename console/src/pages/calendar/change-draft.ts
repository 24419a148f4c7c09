import type { contract } from '@vacancy/client'

import { dateOf, weekdayOf } from './nights.ts'
import type { Weekday } from './nights.ts'
import type { CalendarUnit } from './rows.ts'
import type { Night } from './tile.ts'

export type CalendarValue = contract.CalendarValue

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
  maxStay: number | null
  closedToArrival: boolean | null
  closedToDeparture: boolean | null
  stopSell: boolean | null
  block: 'keep' | 'block' | 'unblock'
  /** How many rooms of a unit are blocked; null for all of them. */
  rooms: number | null
  reason: string
}

/** The nights that are selected; without a plan those of the default one. */
export interface SelectedNights {
  units: readonly CalendarUnit[]
  from: number
  to: number
  planId?: string | undefined
}

/** The change for the API, one value for each unit: relative prices are worked out there. */
export const valuesOf = ({ units, from, to, planId }: SelectedNights, draft: ChangeDraft): CalendarValue[] =>
  units.map(({ id, quantity }) => ({
    unit_id: id,
    ...(planId && { rate_plan_id: planId }),
    date_from: dateOf(from),
    date_to: dateOf(to),
    ...termsOf(draft),
    ...(draft.block === 'block' && {
      blocked: Math.min(draft.rooms ?? quantity, quantity),
      ...(draft.reason && { reason: draft.reason }),
    }),
    ...(draft.block === 'unblock' && { blocked: 0 }),
  }))

/** What a draft decides of each night, without its unit and dates: what a season keeps. */
export const termsOf = (draft: ChangeDraft) => ({
  ...(draft.weekdays.length < 7 && { weekdays: [...draft.weekdays] }),
  ...(draft.price.kind === 'set' && { price_cents: draft.price.cents }),
  ...(draft.price.kind === 'default' && { price_cents: null }),
  ...(draft.price.kind === 'percent' && { price_percent: draft.price.percent }),
  ...(draft.price.kind === 'add' && { price_delta_cents: draft.price.cents }),
  ...(draft.minStay !== null && { min_stay_arrival: draft.minStay }),
  ...(draft.maxStay !== null && { max_stay: draft.maxStay }),
  ...(draft.closedToArrival !== null && { closed_to_arrival: draft.closedToArrival }),
  ...(draft.closedToDeparture !== null && { closed_to_departure: draft.closedToDeparture }),
  ...(draft.stopSell !== null && { stop_sell: draft.stopSell }),
})

/** Whether a draft decides anything that a season can keep: blocks belong to units. */
export const hasTerms = (draft: ChangeDraft): boolean =>
  Object.keys(termsOf(draft)).some((name) => name !== 'weekdays')

/** What an amount becomes; null where only the API knows it. */
const priceAfter = (edit: PriceEdit, cents: number | null): number | null => {
  if (edit.kind === 'set') return edit.cents
  if (cents === null) return null
  if (edit.kind === 'percent') return Math.max(0, Math.round((cents * (100 + edit.percent)) / 100))
  return edit.kind === 'add' ? Math.max(0, cents + edit.cents) : cents
}

/** A night after a change, shown before the API has answered. */
export const applyDraft = (draft: ChangeDraft, quantity: number, day: number, night: Night): Night => {
  if (!draft.weekdays.includes(weekdayOf(day))) return night
  const { block, rooms } = draft
  const blocked =
    block === 'block' ? Math.min(rooms ?? quantity, quantity) : block === 'unblock' ? 0 : night.blocked
  return {
    ...night,
    priceCents: priceAfter(draft.price, night.priceCents),
    minStay: draft.minStay ?? night.minStay,
    maxStay: draft.maxStay ?? night.maxStay,
    closedToArrival: draft.closedToArrival ?? night.closedToArrival,
    closedToDeparture: draft.closedToDeparture ?? night.closedToDeparture,
    stopSell: draft.stopSell ?? night.stopSell,
    blocked,
    reason: block === 'block' ? draft.reason || null : block === 'unblock' ? null : night.reason,
    available: Math.max(0, quantity - night.booked - blocked),
  }
}
