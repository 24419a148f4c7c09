// Does a request fail when Redis is killed with kill -9 under load?
import { openCluster } from './cluster.ts'
import { killRedis, verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { hasNoFailure, runScenario, formatTimes, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 20, short: 3 }, async (context) => {
  await using cluster = await openCluster()
  if (!cluster.redis) throw new Error('There is no redis-server here: install the package redis-server.')
  const load = startLoad(cluster, await addFixtures(cluster))
  const { readyMs } = await killRedis(cluster, cluster.redis, context.loops)
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, formatTimes(readyMs))
  context.verdict('no request fails', hasNoFailure(load.tally), formatTally(load))
})
