import type { contract } from '@vacancy/client'

import { dateOf, dayOf } from '../calendar/nights.ts'

export type Proof = contract.Proof
export type Difference = Proof['differences'][number]

/** A change that opens a night which is closed at the PMS: sold out or blocked there, or stopped. */
export const opensNights = ({ field, desired, read_back }: Difference): boolean =>
  field === 'available'
    ? read_back === 0 && typeof desired === 'number' && desired > 0
    : field === 'stop_sell' && read_back === true && desired !== true

/** The stretches of nights that would be opened, of all rate plans or of one, each once and in order. */
export const openedRanges = (
  differences: readonly Difference[],
  planId?: string,
): { date_from: string; date_to: string }[] => {
  const nights = new Set<string>()
  for (const difference of differences)
    if (opensNights(difference) && difference.date_from && difference.date_to && isOf(difference, planId))
      for (const night of nightsBetween(difference.date_from, difference.date_to)) nights.add(night)
  const ranges: { date_from: string; date_to: string }[] = []
  for (const night of [...nights].toSorted()) {
    const last = ranges.at(-1)
    if (last && nextNight(last.date_to) === night) last.date_to = night
    else ranges.push({ date_from: night, date_to: night })
  }
  return ranges
}

/** Rooms belong to all plans. */
const isOf = ({ rate_plan_id }: Difference, planId: string | undefined): boolean =>
  planId === undefined || rate_plan_id === null || rate_plan_id === planId

export const countNights = (ranges: readonly { date_from: string; date_to: string }[]): number =>
  ranges.reduce((sum, { date_from, date_to }) => sum + nightsBetween(date_from, date_to).length, 0)

const nightsBetween = (from: string, to: string): string[] => {
  const nights: string[] = []
  for (let night = from; night <= to; night = nextNight(night)) nights.push(night)
  return nights
}

const nextNight = (night: string): string => dateOf(dayOf(night) + 1)
