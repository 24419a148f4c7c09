/** The delays between the attempts of a delivery, as Standard Webhooks recommends. The first attempt is made at once. */
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
export const retryDelaysMs = [
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

/** The longest `Retry-After` that is respected. */
const maxRetryAfterMs = 24 * hour
/** Spreads the retries of deliveries that failed at the same time. */
const jitter = 0.2

/** The delay after a number of attempts, and at least what the endpoint asked for; null after the last attempt. */
export function retryDelayMs(
  attempts: number,
  retryAfterMs: number | null,
  random = Math.random(),
): number | null {
  const delay = retryDelaysMs[attempts - 1]
  if (delay === undefined) return null
  return Math.max(Math.round(delay * (1 - jitter + 2 * jitter * random)), retryAfterMs ?? 0)
}

/** Reads `Retry-After`, in seconds or as a date; null when it is absent, invalid or in the past. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | null {
  if (!header) return null
  const delay = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now
  return delay > 0 ? Math.min(delay, maxRetryAfterMs) : null
}
