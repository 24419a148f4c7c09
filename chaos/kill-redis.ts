// Does anybody notice when Redis is killed with kill -9 under load?
import { openHouse } from './house.ts'
import { killRedis, reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { hasNoFailure, scenario, spread, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

await scenario(import.meta, { loops: 20, short: 3 }, async (scene) => {
  await using house = await openHouse()
  if (!house.redis) throw new Error('There is no redis-server here: install the package redis-server.')
  const load = startLoad(house, await fillHouse(house))
  const { readyMs } = await killRedis(house, house.redis, scene.loops)
  scene.verdicts(await reckon(house, load))
  scene.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, spread(readyMs))
  scene.verdict('no request fails', hasNoFailure(load.tally), tellTally(load))
})
