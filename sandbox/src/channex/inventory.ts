import { isDeepStrictEqual } from 'node:util'
import { weekdayOf } from '../dates.ts'

/** What was said about one night of a room type (availability) or of a rate plan (the rest). */
export type Night = {
  availability?: number
  rateMinor?: number
  min_stay_arrival?: number
  min_stay_through?: number
  max_stay?: number
  closed_to_arrival?: boolean
  closed_to_departure?: boolean
  stop_sell?: boolean
}

/** Nights of one room type, plan or option that shall say this; both ends belong to it. */
export type Change = { of: string; from: number; to: number; weekdays?: number[]; set: Night }

export type Inventory = ReturnType<typeof openInventory>

/** Every night that anything was said about. */
export function openInventory() {
  const nights = new Map<string, Map<number, Night>>()

  return {
    apply({ of, from, to, weekdays, set }: Change) {
      let ours = nights.get(of)
      if (!ours) nights.set(of, (ours = new Map<number, Night>()))
      for (let day = from; day <= to; day += 1) {
        if (weekdays && !weekdays.includes(weekdayOf(day))) continue
        ours.set(day, { ...ours.get(day), ...set })
      }
    },

    night: (of: string, day: number): Night => nights.get(of)?.get(day) ?? {},

    forget: (of: string) => nights.delete(of),

    /** The fewest changes that would say the same. */
    *changes(): Generator<Change> {
      for (const [of, ours] of nights) {
        let run: Change | undefined
        for (const [day, set] of [...ours].sort(([a], [b]) => a - b)) {
          if (run && run.to === day - 1 && isDeepStrictEqual(run.set, set)) {
            run.to = day
            continue
          }
          if (run) yield run
          run = { of, from: day, to: day, set }
        }
        if (run) yield run
      }
    },
  }
}
