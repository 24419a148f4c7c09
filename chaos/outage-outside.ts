// Do payments and mails complete exactly once after an outage of their provider?
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type Fault, type FaultProxy } from '../server/test/fault-proxy.ts'
import { openCluster, type InterceptedPart } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { hasNoFailure, runScenario, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const faults: Fault[] = [
  { mode: 'refuse' },
  { mode: 'blackhole' },
  { mode: 'drop_reply' },
  { mode: 'trickle', bytesPerSecond: 100 },
]

await runScenario(import.meta, { loops: 30, short: 8 }, async (context) => {
  const proxies = new Map<InterceptedPart, FaultProxy>()
  await using cluster = await openCluster({
    async intercept(part, url) {
      if (part !== 'payments' && part !== 'smtp') return url
      const proxy = await startFaultProxy(url)
      proxies.set(part, proxy)
      return proxy.url
    },
  })
  for (const proxy of proxies.values()) cluster.resources.use(proxy)
  const fixtures = await addFixtures(cluster)
  for (const [part, proxy] of proxies)
    for (const fault of faults) {
      const name = `${part}: ${fault.mode}`
      const load = startLoad(cluster, fixtures, { name: name.replace(': ', '-'), workloads: { payments: 4 } })
      await sleep(2_000)
      await proxy.set(fault)
      await sleep(context.loops * 1_000)
      await proxy.set({ mode: 'pass' })
      context.verdicts(
        (await verifyLedger(cluster, load)).map((one) => ({ ...one, name: `${name}: ${one.name}` })),
      )
      context.verdict(`${name}: no request fails`, hasNoFailure(load.tally), formatTally(load))
    }
})
