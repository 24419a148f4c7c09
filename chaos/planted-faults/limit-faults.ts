import type { Fault } from './fault.ts'

const limits = 'server/src/http/rate-limits.ts'

/** Limits that somebody gets around, and a limiter that takes the service along when it falls. */
export const limitFaults: readonly Fault[] = [
  {
    name: 'counted-after-it-was-allowed',
    means:
      'Who asks a thousand times at once gets a thousand answers: every request looks before any has counted.',
    file: 'server/src/integrations/counters/redis-counters.ts',
    edits: [
      [
        'const reply = redis.evalsha(scriptHash, keys.length, ...keys, ...numbers).catch(',
        "const onlyLook = takeScript.replace(/ *redis.call\\('SET'.*\\n/, '')\n    const answer = redis.eval(onlyLook, keys.length, ...keys, ...numbers).then(async (found) => {\n      await redis.eval(takeScript, keys.length, ...keys, ...numbers)\n      return found\n    }).catch(",
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/integrations/counters/counters.test.ts',
        test: 'of 1,000 concurrent requests with a limit of 100, exactly 100 are allowed',
      },
      {
        file: 'server/test/limits-shared.test.ts',
        test: 'of a thousand requests at once against a limit of a hundred, a hundred go through',
      },
    ],
  },
  {
    name: 'counted-by-address',
    means: 'Who adds ?x=1, ?x=2 to the address has as many limits as there are numbers.',
    file: limits,
    edits: [["'GET' : request.method} ${url}`", "'GET' : request.method} ${request.url}`"]],
    caughtBy: [{ file: 'server/test/limits-around.test.ts', test: 'by spelling the address in another way' }],
  },
  {
    name: 'unknown-parameters-ignored',
    means: 'A misspelt filter is ignored, and who asked for one booking is shown all of them.',
    file: 'server/src/app.ts',
    edits: [['  rejectUnknownParameters(app)\n', '']],
    caughtBy: [
      { file: 'server/test/query-parameters.test.ts', test: 'refuses the parameters of other operations' },
    ],
  },
  {
    name: 'forwarded-for-believed',
    means: 'Who writes another X-Forwarded-For into each request is another caller each time.',
    file: 'server/src/app.ts',
    edits: [['trustProxy: trustedProxies(config.http.trustProxy),', 'trustProxy: true,']],
    caughtBy: [
      {
        file: 'server/test/limits-around.test.ts',
        test: 'cannot claim to be elsewhere, unless a proxy that we know says it',
      },
    ],
  },
  {
    name: 'headers-forget-the-budget',
    means: 'A client is told that it may ask 999 times for what its budget pays 19 times, and is refused.',
    file: 'server/src/integrations/counters/counters.ts',
    edits: [['left.reduce((one, other) => (isTighter(other, one) ? other : one))', 'left.at(-1)!']],
    caughtBy: [
      {
        file: 'server/test/limit-headers.test.ts',
        test: 'the budget decides where it is tighter than the limit of the operation',
      },
    ],
  },
  {
    name: 'no-limiter-no-service',
    means: 'The store of the counters hangs, and so does everything else.',
    file: limits,
    edits: [['await counters.take(limits).catch(() => null)', 'await counters.take(limits)']],
    caughtBy: [
      {
        file: 'server/test/limits-shared.test.ts',
        test: 'hung: every request is let through, uncounted; later they are counted again',
      },
    ],
  },
  {
    name: 'no-fair-shares',
    means: 'One organization whose receivers never answer stops the webhooks of all others.',
    file: 'server/src/queue/fair-shares.ts',
    edits: [['(held < free ? [] : [orgId])', '(held < Infinity ? [] : [orgId])']],
    caughtBy: [
      {
        file: 'server/src/queue/fair-shares.test.ts',
        test: 'a long backlog of one organization leaves half of the slots to others',
      },
    ],
  },
]
