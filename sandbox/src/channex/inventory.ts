import { isDeepStrictEqual } from 'node:util'
import { weekdayOf } from '../data/dates.ts'

/** The values sent for one night of a room type (availability) or of a rate plan (the rest). */
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

/** Values for nights of one room type, plan or option; both ends are included. */
export type Change = { of: string; from: number; to: number; weekdays?: number[]; set: Night }

export type Inventory = ReturnType<typeof openInventory>

/** Every night that has a value. */
export function openInventory() {
  const nights = new Map<string, Map<number, Night>>()

  return {
    apply({ of, from, to, weekdays, set }: Change) {
      let known = nights.get(of)
      if (!known) nights.set(of, (known = new Map<number, Night>()))
      for (let day = from; day <= to; day += 1) {
        if (weekdays && !weekdays.includes(weekdayOf(day))) continue
        known.set(day, { ...known.get(day), ...set })
      }
    },

    night: (of: string, day: number): Night => nights.get(of)?.get(day) ?? {},

    forget: (of: string) => nights.delete(of),

    /** The fewest changes that lead to the same nights. */
    *changes(): Generator<Change> {
      for (const [of, known] of nights) {
        let run: Change | undefined
        for (const [day, set] of [...known].sort(([a], [b]) => a - b)) {
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
