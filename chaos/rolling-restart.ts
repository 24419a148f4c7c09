// Does a request fail when API processes and workers are restarted one after the other under load?
import { openCluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { allProcesses, restartInTurn } from './rolling.ts'
import { hasNoFailure, runScenario, formatTimes, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 5, short: 1 }, async (context) => {
  await using cluster = await openCluster()
  // A slow load: on a busy machine a process may not close its connections in time.
  const load = startLoad(cluster, await addFixtures(cluster), { paceMs: 200 })
  const { codes, stopMs, readyMs } = await restartInTurn(allProcesses(cluster), context.loops)
  context.verdict(
    'every process ends with 0',
    codes.every((code) => code === 0),
    `${codes.join(', ')}; ${formatTimes(stopMs)}`,
  )
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict(
    'no request fails, except by a refused connection',
    hasNoFailure(load.tally),
    formatTally(load),
  )
  for (const sample of load.tally.samples) context.metric('failed', sample)
  context.metric('ready again', formatTimes(readyMs))
})
