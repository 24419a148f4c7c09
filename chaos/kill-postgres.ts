// Is anything that was acknowledged lost when PostgreSQL is killed with kill -9 under load?
import { openHouse } from './house.ts'
import { killPostgres, reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, spread, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

await scenario(import.meta, { loops: 20, short: 3 }, async (scene) => {
  await using house = await openHouse()
  const load = startLoad(house, await fillHouse(house))
  const { readyMs } = await killPostgres(house, scene.loops)
  scene.verdicts(await reckon(house, load))
  scene.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, spread(readyMs))
  scene.verdict(
    'no answer but 503 while it was away',
    [...load.tally.failures.keys()].every((status) => status === 503),
    tellTally(load),
  )
})
