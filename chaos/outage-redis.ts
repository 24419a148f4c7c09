// Does a request fail or wait while Redis hangs for a minute?
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../server/src/start/processes.ts'
import type { RequestOutcome } from '../server/test/caller.ts'
import { openCluster } from './cluster.ts'
import { runScenario, formatTimes } from './scenario.ts'

const perSecond = 200
const maxWaitMs = 150

await runScenario(import.meta, { loops: 60, short: 5 }, async (context) => {
  await using cluster = await openCluster({ workers: 0 })
  if (!cluster.redis) throw new Error('There is no redis-server here: install the package redis-server.')
  // Without the internal token, so that the requests are counted.
  const headers = { 'x-internal-token': '' }
  const send = (n: number) =>
    cluster.clients[n % cluster.clients.length]!.attempt({
      method: 'GET',
      path: '/api/v1/auth/session',
      headers,
    })
  const sendFor = async (seconds: number) => {
    const requests: Promise<RequestOutcome>[] = []
    const startedAt = performance.now()
    for (let n = 0; n < seconds * perSecond; n++) {
      requests.push(send(n))
      await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()))
    }
    return await Promise.all(requests)
  }
  const before = await sendFor(Math.min(context.loops, 10))
  signal(cluster.redis.pid(), 'SIGSTOP')
  const hung = await sendFor(context.loops).finally(() => signal(cluster.redis!.pid(), 'SIGCONT'))
  const afterwards = await sendFor(2)
  for (const [name, outcomes] of Object.entries({ hung, afterwards })) {
    const failed = outcomes.filter((one) => one.kind !== 'answered' || one.status >= 500)
    const limited = outcomes.filter((one) => one.kind === 'answered' && one.status === 429)
    const details = `${failed.length} of ${outcomes.length}, ${limited.length} over their limit`
    context.verdict(`no request fails (${name})`, failed.length === 0, details)
  }
  const times = (outcomes: RequestOutcome[]) => outcomes.map(({ ms }) => ms)
  const slowestBefore = Math.max(...times(before))
  const slowest = Math.max(...times(hung))
  context.metric('before', formatTimes(times(before)))
  context.metric('while it hangs', formatTimes(times(hung)))
  context.verdict(
    `a hanging Redis delays no request by more than ${maxWaitMs} ms`,
    slowest <= slowestBefore + maxWaitMs,
    `slowest ${Math.round(slowest)} ms, ${Math.round(slowestBefore)} ms before`,
  )
})
