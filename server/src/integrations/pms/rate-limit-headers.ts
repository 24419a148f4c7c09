import type { RateLimitHeaders } from './pms-call.ts'

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Reads the rate limit headers of a response, under any of the names that PMSs use. */
export function parseRateLimitHeaders(
  status: number,
  headers: ResponseHeaders,
  now = Date.now(),
): RateLimitHeaders {
  const first = (...names: string[]) => names.map((name) => firstValue(headers[name])).find(Boolean) ?? null
  return {
    status,
    retryAfter: parseRetryAfter(first('retry-after'), now),
    limit: parseCount(first('x-ratelimit-limit', 'x-rate-limit-limit', 'ratelimit-limit')),
    remaining: parseCount(
      first(
        'x-ratelimit-remaining',
        'x-rate-limit-remaining',
        'ratelimit-remaining',
        'x-five-min-limit-remaining',
      ),
    ),
    resetAt: parseReset(
      first('x-ratelimit-reset', 'x-rate-limit-reset', 'ratelimit-reset', 'x-five-min-limit-resets-in'),
      now,
    ),
  }
}

const firstValue = (header: string | string[] | undefined) =>
  (Array.isArray(header) ? header[0] : header)?.trim()

/** Seconds or an HTTP date. */
function parseRetryAfter(header: string | null, now: number): Date | null {
  if (header === null) return null
  const isSeconds = /^\d+(\.\d+)?$/.test(header)
  return toDate(isSeconds ? now + Number(header) * 1_000 : Date.parse(header), now)
}

/** `100`, or the first number of `100, 100;w=60`. */
function parseCount(header: string | null): number | null {
  const [, digits] = /^(\d{1,15})(?=\s*([,;.]|$))/.exec(header ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** A date, seconds or milliseconds since 1970, or the seconds until then. */
function parseReset(header: string | null, now: number): Date | null {
  if (header === null) return null
  if (!/^\d+(\.\d+)?$/.test(header)) return toDate(Date.parse(header), now)
  const value = Number(header)
  if (value > 1e11) return toDate(value, now)
  return toDate(value > 1e8 ? value * 1_000 : now + value * 1_000, now)
}

/** At most an hour ahead, so that a wrong clock at the PMS cannot stop pushes for good. */
const toDate = (timeMs: number, now: number) =>
  Number.isNaN(timeMs) ? null : new Date(Math.min(timeMs, now + 3_600_000))
