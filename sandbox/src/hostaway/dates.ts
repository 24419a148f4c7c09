const dayMs = 86_400_000

/** Every date from the first to the last, both included. */
export function datesBetween(first: string, last: string): string[] {
  return Array.from({ length: daysFrom(first, last) + 1 }, (_, index) => addDays(first, index))
}

export function addDays(date: string, days: number): string {
  return dateAt(Date.parse(`${date}T00:00:00Z`) + days * dayMs)
}

export function daysFrom(first: string, last: string): number {
  return (Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / dayMs
}

export function dateAt(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

/** The vendor's format of a time, always in UTC. */
export function momentAt(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')
}
