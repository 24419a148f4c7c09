/** Weekdays of nights as numbers. */

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

export const weekdayOf = (day: number): Weekday => weekdays[(day + 3) % 7]!

/** The nights in a range (inclusive) on these weekdays. */
export function daysBetween(from: number, to: number, only: readonly Weekday[] = weekdays): number[] {
  const wanted = new Set(only)
  const days: number[] = []
  for (let day = from; day <= to; day++) if (wanted.has(weekdayOf(day))) days.push(day)
  return days
}
