import type { contract } from '@vacancy/client'

import type { CalendarValue } from './change-draft.ts'
import { dateOf, dayOf } from './nights.ts'

export const copiedTerms = ['prices', 'stays', 'restrictions'] as const
export type CopiedTerms = (typeof copiedTerms)[number]

interface Target {
  unitId: string
  /** How many days later. */
  days: number
}

/** What holds for the nights of a unit, as values for another unit or later nights; blocks stay where they are. */
export const copyNights = (
  { plans, stopped, status }: contract.UnitCalendar,
  terms: readonly CopiedTerms[],
  { unitId, days }: Target,
): CalendarValue[] =>
  (plans[0]?.days ?? []).map((night) => ({
    unit_id: unitId,
    date_from: dateOf(dayOf(night.date_from) + days),
    date_to: dateOf(dayOf(night.date_to) + days),
    ...(terms.includes('prices') && { price_cents: night.price_cents }),
    ...(terms.includes('stays') && {
      min_stay_arrival: night.min_stay_arrival,
      min_stay_through: night.min_stay_through,
      max_stay: night.max_stay,
    }),
    ...(terms.includes('restrictions') && {
      closed_to_arrival: night.closed_to_arrival,
      closed_to_departure: night.closed_to_departure,
      // A unit that is not sold at all closes each of its nights, which is not meant for others.
      ...(status === 'active' && !stopped && { stop_sell: night.stop_sell }),
    }),
  }))
