// Is an acknowledged write lost when PostgreSQL is killed with kill -9 under load?
import { openCluster } from './cluster.ts'
import { killPostgres, verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTimes, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 20, short: 3 }, async (context) => {
  await using cluster = await openCluster()
  const load = startLoad(cluster, await addFixtures(cluster))
  const { readyMs } = await killPostgres(cluster, context.loops)
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, formatTimes(readyMs))
  context.verdict(
    'every error response is a 503',
    [...load.tally.failures.keys()].every((status) => status === 503),
    formatTally(load),
  )
})
