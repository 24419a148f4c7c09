// Is anything lost when workers are killed with kill -9 under load, twice during one push?
import { openCluster } from './cluster.ts'
import { killWorkers, verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTimes, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 30, short: 1 }, async (context) => {
  await using cluster = await openCluster()
  const fixtures = await addFixtures(cluster)
  // A slow load: on a busy machine the time to start would be the time that a process waits for a processor.
  const load = startLoad(cluster, fixtures, { paceMs: 200 })
  // The price workloads use the first three units.
  const { readyMs, pushMs } = await killWorkers(cluster, fixtures.priced[3]!, context.loops)
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, formatTimes(readyMs))
  context.metric('from the second kill until the push has completed', formatTimes(pushMs))
  context.metric('requests', formatTally(load))
})
