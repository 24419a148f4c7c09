import { nightOf } from '#schema/nights.ts'

/** Two years: sites sell no further ahead, but further than the nights that are pushed to a PMS. */
export const nightsAhead = 731

/** Consecutive nights without a free room, both ends included. */
export interface NightRange {
  readonly from: string
  readonly to: string
}

/** The suffix of the UIDs of a unit's events, which identifies them when they are imported back. */
export const uidSuffix = (unitId: string) => `.${unitId}@vacancy`

/** Groups nights, which are in order, into ranges. */
export function groupNights(nights: readonly string[]): NightRange[] {
  const ranges: { from: string; to: string }[] = []
  for (const night of nights) {
    const last = ranges.at(-1)
    if (last && nightOf(night) === nightOf(last.to) + 1) last.to = night
    else ranges.push({ from: night, to: night })
  }
  return ranges
}
