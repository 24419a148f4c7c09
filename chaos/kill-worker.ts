// Is anything lost or left lying when workers are killed with kill -9 under load, twice in the middle of one push?
import { openHouse } from './house.ts'
import { killWorkers, reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, spread, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

await scenario(import.meta, { loops: 30, short: 1 }, async (scene) => {
  await using house = await openHouse()
  const stock = await fillHouse(house)
  // Who starts on a machine that is full waits in line for a processor, and that would be measured.
  const load = startLoad(house, stock, { paceMs: 200 })
  // The lanes that change prices have the first three units.
  const { readyMs, pushMs } = await killWorkers(house, stock.priced[3]!, scene.loops)
  scene.verdicts(await reckon(house, load))
  scene.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, spread(readyMs))
  scene.figure('from the second kill until the PMS has it', spread(pushMs))
  scene.figure('clients', tellTally(load))
})
