import type { Heard } from './pms-call.ts'

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** What an answer says of limits, in any of the manners that PMSs have. */
export function heardOf(status: number, headers: AnswerHeaders, now = Date.now()): Heard {
  const named = (...names: string[]) => names.map((name) => firstOf(headers[name])).find(Boolean) ?? null
  return {
    status,
    retryAfter: retryAfterOf(named('retry-after'), now),
    limit: countOf(named('x-ratelimit-limit', 'x-rate-limit-limit', 'ratelimit-limit')),
    remaining: countOf(
      named(
        'x-ratelimit-remaining',
        'x-rate-limit-remaining',
        'ratelimit-remaining',
        'x-five-min-limit-remaining',
      ),
    ),
    resetAt: resetOf(
      named('x-ratelimit-reset', 'x-rate-limit-reset', 'ratelimit-reset', 'x-five-min-limit-resets-in'),
      now,
    ),
  }
}

const firstOf = (header: string | string[] | undefined) =>
  (Array.isArray(header) ? header[0] : header)?.trim()

/** Seconds or an HTTP date. */
function retryAfterOf(header: string | null, now: number): Date | null {
  if (header === null) return null
  return soon(/^\d+(\.\d+)?$/.test(header) ? now + Number(header) * 1_000 : Date.parse(header), now)
}

/** `100`, or the first of `100, 100;w=60`. */
function countOf(header: string | null): number | null {
  const [, digits] = /^(\d{1,15})(?=\s*([,;.]|$))/.exec(header ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** A moment as seconds or milliseconds of the epoch or as a date, or the seconds until it. */
function resetOf(header: string | null, now: number): Date | null {
  if (header === null) return null
  if (!/^\d+(\.\d+)?$/.test(header)) return soon(Date.parse(header), now)
  const value = Number(header)
  if (value > 1e11) return soon(value, now)
  return soon(value > 1e8 ? value * 1_000 : now + value * 1_000, now)
}

/** Never more than an hour away, so that a foreign clock cannot stop us for good. */
const soon = (atMs: number, now: number) =>
  Number.isNaN(atMs) ? null : new Date(Math.min(atMs, now + 3_600_000))
