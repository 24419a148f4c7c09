import { dateOf, dayIn, nightOf } from '#schema/nights.ts'

/** A time zone where it is about noon, so that the date does not change during a test. */
export function noonZone(): string {
  const hours = 12 - new Date().getUTCHours()
  return hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}

/** The date in a time zone, this many days from today. Daylight saving time does not matter. */
export const localDay = (timezone: string, days: number): string => dateOf(nightOf(dayIn(timezone)) + days)

/** The same for Lisbon, the time zone of test spaces. */
export const inDays = (days: number): string => localDay('Europe/Lisbon', days)
