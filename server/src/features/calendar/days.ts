/** Nights by number: days since 1970-01-01, without zones and clocks. */

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

const dayMs = 86_400_000

export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs

export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

export const weekdayOf = (day: number): Weekday => weekdays[(day + 3) % 7]!

/** The nights from one to another, both included, that begin on these weekdays. */
export function daysBetween(from: number, to: number, only: readonly Weekday[] = weekdays): number[] {
  const wanted = new Set(only)
  const days: number[] = []
  for (let day = from; day <= to; day++) if (wanted.has(weekdayOf(day))) days.push(day)
  return days
}
