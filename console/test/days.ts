export const dayMs = 86_400_000

/** The date of so many days from now. */
export const day = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

export const laterYear = new Date().getUTCFullYear() + 2

/** A date of the year after the next one, such as `later('03-06')`: after all that the demonstration has planned. */
export const later = (monthAndDay: string): string => `${laterYear}-${monthAndDay}`
