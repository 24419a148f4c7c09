import { loft } from './pms-caller.ts'

/** Today where the loft stands. */
export const today = new Date().toLocaleDateString('sv-SE', { timeZone: loft.space.timezone })

/** The night so many days from today. */
export function night(days: number) {
  return new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
}

export function range(from: number, to = from) {
  return { date_from: night(from), date_to: night(to) }
}
