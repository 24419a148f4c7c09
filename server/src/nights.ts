/** Nights as whole numbers: days since 1970-01-01, so that they can be counted and compared without a time zone. */
const dayMs = 86_400_000

export const nightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs
export const dateOf = (night: number): string => new Date(night * dayMs).toISOString().slice(0, 10)

/** How far ahead a stay can be looked for, quoted and booked: ten years from today. */
export const maxNightsAhead = 3_650

/** The date in a time zone, now. */
export const dayIn = (timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())
