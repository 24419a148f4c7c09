import { dateOf, dayIn, nightOf } from '#nights.ts'

/** A zone where it is about noon, so that no test sees its day end. */
export function noonZone(): string {
  const hours = 12 - new Date().getUTCHours()
  return hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}

/** The date in a zone, some days from today. Days are counted as dates: a summer time between is no day more. */
export const localDay = (timezone: string, days: number): string => dateOf(nightOf(dayIn(timezone)) + days)

/** The same for Lisbon, where spaces of tests are. */
export const inDays = (days: number): string => localDay('Europe/Lisbon', days)
