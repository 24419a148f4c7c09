// Do the build before the newest migration and the one of today work side by side, and replace each other under load?
import { buildBefore } from './builds.ts'
import { openHouse } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { everything, rollOver } from './rolling.ts'
import { scenario, spread, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

await scenario(import.meta, { loops: 3, short: 1 }, async (scene) => {
  using before = buildBefore()
  scene.figure('the build before', `${before.commit.slice(0, 9)}, which does not know ${before.migration}`)
  await using house = await openHouse()
  const load = startLoad(house, await fillHouse(house))
  const [api, worker] = [house.apis[1]!, house.workers[1]!]
  const readyMs: number[] = []
  for (let n = 0; n < scene.loops; n++) {
    // Back by one build and forward again: in between both serve and both work.
    readyMs.push(...(await rollOver([api, worker], 1, { root: before.root })).readyMs)
    readyMs.push(...(await rollOver([api, worker], 1)).readyMs)
  }
  await rollOver(everything(house), 1)
  scene.verdicts(await reckon(house, load))
  scene.verdict('no answer is a fault', ![...load.tally.failures.keys()].includes(500), tellTally(load))
  for (const sample of load.tally.samples) scene.figure('failed', sample)
  scene.figure('ready again', spread(readyMs))
})
