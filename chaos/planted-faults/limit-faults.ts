import type { Fault } from './fault.ts'

const limits = 'server/src/http/rate-limits.ts'

/** Limits that can be avoided, and a limiter that stops the service when it fails. */
export const limitFaults: readonly Fault[] = [
  {
    name: 'counted-after-it-was-allowed',
    means: 'A thousand requests at once are all allowed: each reads the counter before any has counted.',
    code: [
      {
        ...{ file: 'server/src/integrations/counters/redis-counters.ts', function: 'runScript' },
        call: 'evalsha',
        becomes: ({ args: [hash, count] }) => {
          const call = (numbers: string) => `redis.evalsha(${hash}, ${count}, ...keys, ...${numbers})`
          const withoutCost = 'numbers.map((number, at) => (at % 4 === 2 ? 0 : number))'
          return `${call(withoutCost)}.then((found) => ${call('numbers')}.then(() => found))`
        },
      },
    ],
    caughtBy: ['server/src/integrations/counters/counters.test.ts', 'server/test/limits-shared.test.ts'],
  },
  {
    name: 'counted-by-address',
    means: 'A client that adds ?x=1, ?x=2 to the address has as many limits as there are numbers.',
    code: [
      {
        ...{ file: limits, function: 'limitsOf', variable: 'operation' },
        becomes: "`${request.method === 'HEAD' ? 'GET' : request.method} ${request.url}`",
      },
    ],
    caughtBy: ['server/test/limits-around.test.ts'],
  },
  {
    name: 'unknown-parameters-ignored',
    means: 'A misspelt filter is ignored, and a client that wants one booking gets all.',
    code: [
      { file: 'server/src/app.ts', function: 'openApp', statement: 'rejectUnknownParameters', becomes: '' },
    ],
    caughtBy: ['server/test/query-parameters.test.ts'],
  },
  {
    name: 'forwarded-for-trusted',
    means: 'A client that sends another X-Forwarded-For with each request is never limited.',
    code: [{ file: 'server/src/app.ts', function: 'openApp', property: 'trustProxy', becomes: 'true' }],
    caughtBy: ['server/test/limits-around.test.ts'],
  },
  {
    name: 'headers-ignore-the-budget',
    means: 'The headers allow 999 requests, the budget 19, and the client is refused.',
    code: [
      {
        ...{ file: 'server/src/integrations/counters/counters.ts', function: 'buildResult' },
        ...{ call: 'reduce', becomes: 'left.at(-1)!' },
      },
    ],
    caughtBy: ['server/test/limit-headers.test.ts'],
  },
  {
    name: 'no-limiter-no-service',
    means: 'The store of the counters hangs, and with it every request.',
    code: [
      {
        ...{ file: limits, function: 'enforceRateLimits.count' },
        ...{ call: 'catch', becomes: ({ receiver }) => receiver },
      },
    ],
    caughtBy: ['server/test/limits-shared.test.ts'],
  },
  {
    name: 'no-fair-shares',
    means: 'One organization whose receivers never respond stops the webhooks of all others.',
    code: [
      {
        ...{ file: 'server/src/queue/fair-shares.ts', function: 'allowance' },
        ...{ property: 'fullOrgs', becomes: '[]' },
      },
    ],
    caughtBy: ['server/src/queue/fair-shares.test.ts'],
  },
]
