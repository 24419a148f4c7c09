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

/** When to try again after so many attempts; null when it is over. Not before the receiver asked for. */
export function nextAttemptAt(
  attempts: number,
  retryAfter: Date | null,
  { now = new Date(), random = Math.random() }: { now?: Date; random?: number } = {},
): Date | null {
  const wait = waitsMs[attempts - 1]
  if (wait === undefined) return null
  const scheduled = now.getTime() + Math.round(wait * (1 - jitter + 2 * jitter * random))
  return new Date(Math.max(scheduled, retryAfter?.getTime() ?? 0))
}

/** What `Retry-After` says, in seconds or as a date; null when it says nothing that can be used. */
export function patienceOf(header: string | undefined, now = new Date()): Date | null {
  if (!header) return null
  const at = /^\d{1,9}$/.test(header) ? now.getTime() + Number(header) * second : Date.parse(header)
  if (Number.isNaN(at) || at <= now.getTime()) return null
  return new Date(Math.min(at, now.getTime() + longestPatienceMs))
}
