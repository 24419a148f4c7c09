/** Nights as numbers of days since 1970-01-01, so that no time zone can move them. */

const dayMs = 86_400_000
export const daysPerWeek = 7

export const dayOf = (date: string): number => Date.parse(date) / dayMs

export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** The Monday on or before a day. */
export const mondayOf = (day: number): number => day - ((day + 3) % daysPerWeek)

/** The Mondays of the weeks that days from `from` to `to` are in. */
export const weeksOf = (from: number, to: number): readonly number[] => {
  const mondays: number[] = []
  for (let monday = mondayOf(from); monday <= to; monday += daysPerWeek) mondays.push(monday)
  return mondays
}

/** 0 is Monday, 6 is Sunday. */
const weekdayIndex = (day: number): number => (day + 3) % daysPerWeek

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

export const weekdayOf = (day: number): Weekday => weekdays[weekdayIndex(day)] ?? 'mon'

interface WeekInfo {
  weekend: number[]
}

/** The days that are shaded, counted from Monday: those on which people do not work where the person is. */
export const weekendOf = (locale: string): readonly number[] => {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => WeekInfo }
  return known.getWeekInfo?.().weekend.map((day) => day - 1) ?? [5, 6]
}

/** Today where the property is. */
export const todayIn = (timeZone: string | undefined): number =>
  dayOf(new Intl.DateTimeFormat('en-CA', { ...(timeZone && { timeZone }) }).format(new Date()))
