/** Waits between the attempts of one delivery, as Standard Webhooks recommends; the first is made at once. */
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
export const waitsMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

/** Nobody is waited for longer, whatever he asks. */
const longestPatienceMs = 24 * hour
/** By so much a wait is longer or shorter, so that what failed together does not come back together. */
const jitter = 0.2

/** How long to wait after so many attempts; null when it is over. Not less than the receiver asked for. */
export function retryInMs(attempts: number, askedMs: number | null, random = Math.random()): number | null {
  const wait = waitsMs[attempts - 1]
  if (wait === undefined) return null
  return Math.max(Math.round(wait * (1 - jitter + 2 * jitter * random)), askedMs ?? 0)
}

/** How long `Retry-After` asks to wait, in seconds or by a date; null when it says nothing that can be used. */
export function patienceMs(header: string | undefined, now = Date.now()): number | null {
  if (!header) return null
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now
  return wait > 0 ? Math.min(wait, longestPatienceMs) : null
}
