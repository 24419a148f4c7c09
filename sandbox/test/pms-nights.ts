import { loft } from './pms-caller.ts'

/** Today in the time zone of the loft. */
export const today = new Date().toLocaleDateString('sv-SE', { timeZone: loft.space.timezone })

/** The night a number of days from today. */
export function night(days: number) {
  return new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
}

export function range(from: number, to = from) {
  return { date_from: night(from), date_to: night(to) }
}
