// Is anything that was acknowledged lost when API processes are killed with kill -9 under load?
import { openHouse } from './house.ts'
import { killApis, reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, spread, tellTally } from './scenario.ts'
import { settle } from './settle.ts'
import { fillHouse } from './stock.ts'

await scenario(import.meta, { loops: 30, short: 3 }, async (scene) => {
  await using house = await openHouse()
  const stock = await fillHouse(house)
  await settle(house, { payments: new Map() })
  // All that the load sets off fits the machine with some room to spare: who starts on a machine that is full waits in
  // line for a processor, and that would be measured instead.
  const load = startLoad(house, stock, { paceMs: 400 })
  const { readyMs, cpuMs = [] } = await killApis(house, scene.loops)
  scene.verdicts(await reckon(house, load))
  scene.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, spread(readyMs))
  scene.figure('processor until then', spread(cpuMs))
  scene.figure('clients', tellTally(load))
})
