// Do payments and mail wait for their part to come back, and end well and once?
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type Fault, type FaultProxy } from '../server/test/fault-proxy.ts'
import { openHouse, type Between } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { hasNoFailure, scenario, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

const faults: Fault[] = [
  { mode: 'refuse' },
  { mode: 'blackhole' },
  { mode: 'drop_reply' },
  { mode: 'trickle', bytesPerSecond: 100 },
]

await scenario(import.meta, { loops: 30, short: 8 }, async (scene) => {
  const ways = new Map<Between, FaultProxy>()
  await using house = await openHouse({
    async between(part, url) {
      if (part !== 'payments' && part !== 'smtp') return url
      const way = await startFaultProxy(url)
      ways.set(part, way)
      return way.url
    },
  })
  for (const way of ways.values()) house.parts.use(way)
  const stock = await fillHouse(house)
  for (const [part, way] of ways)
    for (const fault of faults) {
      const name = `${part}: ${fault.mode}`
      const load = startLoad(house, stock, { name: name.replace(': ', '-'), lanes: { payments: 4 } })
      await sleep(2_000)
      await way.set(fault)
      await sleep(scene.loops * 1_000)
      await way.set({ mode: 'pass' })
      scene.verdicts((await reckon(house, load)).map((one) => ({ ...one, name: `${name}: ${one.name}` })))
      scene.verdict(`${name}: no request fails`, hasNoFailure(load.tally), tellTally(load))
    }
})
