/**
 * A recurrence rule that RFC 5545 gives as an example in section 3.8.5.3 (or 3.3.10), with the dates that it states.
 * Days are written by month: `1997-09: 2-4 9`. A list that ends with `...` goes on.
 */
export interface RuleExample {
  readonly name: string
  /** Local time in America/New_York. */
  readonly start: string
  /** `RRULE` without its name; several that mean the same. */
  readonly rules: readonly string[]
  readonly exceptions?: string
  readonly dates: string
}

/** `1997-09: 2-4 9` → the days of it. */
export function expandDates(dates: string): { dates: string[]; goesOn: boolean } {
  const goesOn = dates.endsWith(' ...')
  const days = dates
    .replace(/ \.\.\.$/, '')
    .split('; ')
    .flatMap((part) => {
      const [month, list] = part.split(': ') as [string, string]
      return list.split(' ').flatMap((item) => {
        const [first, last = first] = item.split('-').map(Number) as [number, number?]
        return Array.from(
          { length: last - first + 1 },
          (_, at) => `${month}-${String(first + at).padStart(2, '0')}`,
        )
      })
    })
  return { dates: days, goesOn }
}
