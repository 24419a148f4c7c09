/** A night as a number: days since 1970-01-01, independent of time zones. */
const dayMs = 86_400_000

export const nightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs
export const dateOf = (night: number): string => new Date(night * dayMs).toISOString().slice(0, 10)

/** How far ahead a stay can be searched, quoted and booked: ten years. */
export const maxNightsAhead = 3_650

/** Today's date in a time zone. */
export const dayIn = (timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())
