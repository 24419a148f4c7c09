// Does a request fail when API processes and workers are restarted one after the other under load?
import { openHouse } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { everything, rollOver } from './rolling.ts'
import { hasNoFailure, scenario, spread, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

await scenario(import.meta, { loops: 5, short: 1 }, async (scene) => {
  await using house = await openHouse()
  // A machine with room: one that is full takes turns away from the process that is about to close its door.
  const load = startLoad(house, await fillHouse(house), { paceMs: 200 })
  const { codes, stopMs, readyMs } = await rollOver(everything(house), scene.loops)
  scene.verdict(
    'every process ends with 0',
    codes.every((code) => code === 0),
    `${codes.join(', ')}; ${spread(stopMs)}`,
  )
  scene.verdicts(await reckon(house, load))
  scene.verdict(
    'no request fails but by a connection that nobody takes',
    hasNoFailure(load.tally),
    tellTally(load),
  )
  for (const sample of load.tally.samples) scene.figure('failed', sample)
  scene.figure('ready again', spread(readyMs))
})
