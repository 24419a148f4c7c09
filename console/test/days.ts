export const dayMs = 86_400_000

/** The date of so many days from now. */
export const day = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
