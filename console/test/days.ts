export const dayMs = 86_400_000

/** The date of so many days from now. */
export const day = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

/** The same in Lisbon, the time zone of added units: an arrival must not be before today there. */
export const lisbonDay = (days: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Lisbon' }).format(Date.now() + days * dayMs)

export const laterYear = new Date().getUTCFullYear() + 2

/** A date of the year after the next one, such as `later('03-06')`: after all that the demonstration has planned. */
export const later = (monthAndDay: string): string => `${laterYear}-${monthAndDay}`
