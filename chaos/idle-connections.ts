// Are 200 requests a second answered in time with 10,000 idle connections?
import { readFileSync } from 'node:fs'
import { openCluster } from './cluster.ts'
import { sendAtRate, openIdleConnections } from './idle.ts'
import { runScenario } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const perSecond = 200

await runScenario(import.meta, { loops: 10_000, short: 1_000 }, async (context) => {
  const seconds = Number(context.option('seconds', context.isShort ? '5' : '30'))
  await using cluster = await openCluster({ apis: 1, workers: 0, env: { IDLE_TIMEOUT_MS: '600000' } })
  await addFixtures(cluster)
  const [client, api] = [cluster.clients[0]!, cluster.apis[0]!]
  const send = () => client.attempt({ method: 'GET', path: '/api/v1/spaces' })
  const alone = percentiles(await sendAtRate(perSecond, Math.min(seconds, 10), send))
  context.metric('without idle connections', `p50 ${alone.p50} ms, p99 ${alone.p99} ms`)
  const startedAt = performance.now()
  const idle = await openIdleConnections(client.url, context.loops, {
    'x-internal-token': cluster.internalToken,
  })
  context.metric('opened in', `${Math.round(performance.now() - startedAt)} ms`)
  try {
    const responses = await sendAtRate(perSecond, seconds, send)
    const good = responses.filter((one) => one.kind === 'answered' && one.status === 200)
    context.verdict(
      'no request fails',
      good.length === responses.length,
      `${good.length} of ${responses.length}`,
    )
    const { p50, p99 } = percentiles(responses)
    const times = (p99 / Math.max(1, alone.p99)).toFixed(1)
    context.verdict(
      'p99 under 500 ms',
      p99 < 500,
      `${p99} ms, p50 ${p50} ms; ${times} times that without idle connections`,
    )
    context.verdict(
      'all connections stay open',
      idle.open() === context.loops,
      `${idle.open()} of ${context.loops}`,
    )
    const peakMb = peakMbOf(api.pid())
    context.verdict('under 600 MB', peakMb < 600, `${peakMb} MB at most`)
  } finally {
    idle.close()
  }
})

function percentiles(responses: readonly { ms: number }[]): { p50: number; p99: number } {
  const times = responses.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]!)
  return { p50: at(0.5), p99: at(0.99) }
}

/** The peak memory of the process. */
function peakMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1_024)
}
