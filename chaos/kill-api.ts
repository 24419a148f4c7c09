// Is an acknowledged write lost when API processes are killed with kill -9 under load?
import { openCluster } from './cluster.ts'
import { killApis, verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTimes, formatTally } from './scenario.ts'
import { settle } from './settle.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 30, short: 3 }, async (context) => {
  await using cluster = await openCluster()
  const fixtures = await addFixtures(cluster)
  await settle(cluster, { payments: new Map() })
  // A slow load: on a busy machine the time to start would be the time that a process waits for a processor.
  const load = startLoad(cluster, fixtures, { paceMs: 400 })
  const { readyMs, cpuMs = [] } = await killApis(cluster, context.loops)
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, formatTimes(readyMs))
  context.metric('processor time of the start', formatTimes(cpuMs))
  context.metric('requests', formatTally(load))
})
