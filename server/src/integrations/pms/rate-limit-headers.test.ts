import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseRateLimitHeaders, type ResponseHeaders } from './send-request.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const headersOf = (headers: ResponseHeaders) => {
  const { retryAfter, limit, remaining, resetAt } = parseRateLimitHeaders(429, headers, now)
  const seconds = (at: Date | null) => (at ? (at.getTime() - now) / 1_000 : null)
  return { retry: seconds(retryAfter), limit, remaining, reset: seconds(resetAt) }
}
const silence = { retry: null, limit: null, remaining: null, reset: null }

suite('what an answer says of limits', () => {
  const cases: [string, ResponseHeaders, Partial<typeof silence> | Record<string, number>][] = [
    ['nothing', {}, {}],
    ['seconds to wait', { 'retry-after': '17' }, { retry: 17 }],
    ['no wait at all', { 'retry-after': '0' }, { retry: 0 }],
    ['half a second', { 'retry-after': '0.5' }, { retry: 0.5 }],
    ['a date to wait for', { 'retry-after': 'Sat, 21 Nov 2026 10:02:00 GMT' }, { retry: 120 }],
    ['a date of the older kind', { 'retry-after': 'Saturday, 21-Nov-26 10:02:00 GMT' }, { retry: 120 }],
    ['a date that has been', { 'retry-after': 'Sat, 21 Nov 2026 09:59:00 GMT' }, { retry: -60 }],
    ['a year to wait', { 'retry-after': '31536000' }, { retry: 3_600 }],
    ['a date of next year', { 'retry-after': 'Sun, 21 Nov 2027 10:00:00 GMT' }, { retry: 3_600 }],
    ['words to wait for', { 'retry-after': 'a while' }, {}],
    ['an empty wait', { 'retry-after': '' }, {}],
    ['the same twice', { 'retry-after': ['5', '9'] }, { retry: 5 }],
    [
      'seconds until the window ends',
      { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' },
      { limit: 100, remaining: 0, reset: 42 },
    ],
    ['seconds of the epoch', { 'x-ratelimit-reset': String(now / 1_000 + 30) }, { reset: 30 }],
    ['milliseconds of the epoch', { 'x-ratelimit-reset': String(now + 30_000) }, { reset: 30 }],
    ['a moment', { 'x-ratelimit-reset': '2026-11-21T10:00:30.000Z' }, { reset: 30 }],
    ['a moment with an offset', { 'x-ratelimit-reset': '2026-11-21T11:00:30+01:00' }, { reset: 30 }],
    ['a window of a day', { 'x-ratelimit-reset': '86400' }, { reset: 3_600 }],
    [
      'limits without x',
      { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '30' },
      { limit: 100, remaining: 7, reset: 30 },
    ],
    [
      'limits with another hyphen',
      { 'x-rate-limit-limit': '5', 'x-rate-limit-remaining': '4', 'x-rate-limit-reset': '3' },
      { limit: 5, remaining: 4, reset: 3 },
    ],
    [
      'credits of five minutes',
      { 'x-five-min-limit-remaining': '63.5', 'x-five-min-limit-resets-in': '120' },
      { remaining: 63, reset: 120 },
    ],
    ['a limit that is no number', { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-1' }, {}],
  ]
  for (const [what, headers, expected] of cases)
    test(`${what} is understood`, () => assert.deepEqual(headersOf(headers), { ...silence, ...expected }))
})
