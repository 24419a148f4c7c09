/** A night as a number: days since 1970-01-01, independent of time zones. */
const dayMs = 86_400_000

export const nightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs

const dates = new Map<number, string>()
/** Remembers the dates of so many nights, because a page of the calendar asks thousands of times for few. */
const maxDates = 10_000
export function dateOf(night: number): string {
  const known = dates.get(night)
  if (known !== undefined) return known
  const date = new Date(night * dayMs).toISOString().slice(0, 10)
  if (dates.size < maxDates) dates.set(night, date)
  return date
}

/** How far ahead a stay can be searched, quoted and booked: ten years. */
export const maxNightsAhead = 3_650

/** Today's date in a time zone. */
export const dayIn = (timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())

const zones = new Map<string, boolean>()
/** Whether Intl knows the name of this time zone; an offset is none. */
export function isKnownZone(name: string): boolean {
  let isKnown = zones.get(name)
  if (isKnown === undefined) {
    try {
      // Intl accepts offsets such as +02:00.
      isKnown = /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
    } catch {
      isKnown = false
    }
    if (zones.size < 2_000) zones.set(name, isKnown)
  }
  return isKnown
}

/** Of the abbreviations, PostgreSQL reads only these as Intl does. It has CET without summer time, and does not know CAT. */
const abbreviations = /^(?:UTC|UCT|GMT|EST|MST|HST|PRC|ROC|ROK)$/i
/** Former names that only Intl still knows. */
const onlyInIntl = /^(?:US\/Pacific-New|Canada\/East-Saskatchewan)$/i

/** Whether a property may have this time zone: Intl and PostgreSQL know it, with the same local times. */
export const isTimeZone = (name: string): boolean =>
  isKnownZone(name) && (name.length !== 3 || abbreviations.test(name)) && !onlyInIntl.test(name)
