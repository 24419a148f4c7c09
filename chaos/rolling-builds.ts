// Do the build before the newest migration and the current one work together, and replace each other, under load?
import { checkOutPreviousBuild } from './builds.ts'
import { openCluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { allProcesses, restartInTurn } from './rolling.ts'
import { runScenario, formatTimes, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 3, short: 1 }, async (context) => {
  using previous = checkOutPreviousBuild()
  if (!previous) throw new Error('The history ends before the previous build: git fetch --unshallow')
  context.metric('previous build', `${previous.commit.slice(0, 9)}, without ${previous.missing.join(', ')}`)
  await using cluster = await openCluster()
  const load = startLoad(cluster, await addFixtures(cluster))
  const [api, worker] = [cluster.apis[1]!, cluster.workers[1]!]
  const readyMs: number[] = []
  for (let n = 0; n < context.loops; n++) {
    // To the previous build and back: in between, both builds run.
    readyMs.push(...(await restartInTurn([api, worker], 1, { root: previous.root })).readyMs)
    readyMs.push(...(await restartInTurn([api, worker], 1)).readyMs)
  }
  await restartInTurn(allProcesses(cluster), 1)
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict('no response is a 500', ![...load.tally.failures.keys()].includes(500), formatTally(load))
  for (const sample of load.tally.samples) context.metric('failed', sample)
  context.metric('ready again', formatTimes(readyMs))
})
