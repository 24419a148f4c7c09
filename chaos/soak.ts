// With a fault a minute for half an hour, does memory stay flat, and is the ledger right?
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type Fault, type FaultProxy } from '../server/test/fault-proxy.ts'
import { openHouse, type Between, type House } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { memoryOf, slopeOf } from './memory.ts'
import { scenario, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

const faultSeconds = 8
const everySeconds = 1
const mostMegabytesPerHour = 40
const faults: Fault[] = [
  { mode: 'blackhole' },
  { mode: 'reset' },
  { mode: 'refuse' },
  { mode: 'delay', ms: 300 },
  { mode: 'trickle', bytesPerSecond: 2_000 },
  { mode: 'drop_reply', times: 5 },
]

/** `--loops` are minutes. */
await scenario(import.meta, { loops: 30, short: 2 }, async (scene) => {
  const ways = new Map<Between, FaultProxy>()
  await using house = await openHouse({
    env: { PMS_TIMEOUT_MS: '3000' },
    async between(part, url) {
      const way = await startFaultProxy(url)
      ways.set(part, way)
      return way.url
    },
  })
  for (const way of ways.values()) house.parts.use(way)
  const load = startLoad(house, await fillHouse(house), { paceMs: 100 })
  const seen = new Map<string, { x: number; y: number }[]>()
  const startedAt = performance.now()
  const timer = setInterval(
    () => look(house, seen, (performance.now() - startedAt) / 3_600_000),
    everySeconds * 1_000,
  )
  const parts = [...ways]
  for (let minute = 0; minute < scene.loops; minute++) {
    const [name, way] = parts[minute % parts.length]!
    const fault = faults[(minute + Math.floor(minute / parts.length)) % faults.length]!
    await sleep(20_000)
    console.log(`        minute ${minute + 1}: ${name} ${fault.mode}`)
    await way.set(fault)
    await sleep(faultSeconds * 1_000)
    await way.set({ mode: 'pass' })
    await sleep((40 - faultSeconds) * 1_000)
  }
  clearInterval(timer)
  for (const [name, points] of seen) {
    // The first third is for what is loaded and compiled once.
    const settled = points.slice(Math.floor(points.length / 3))
    const slope = slopeOf(settled)
    const found = `${slope.toFixed(1)} MB an hour, ${Math.round(points.at(-1)!.y)} MB at the end`
    // Minutes say nothing about hours.
    if (scene.loops >= 20) scene.verdict(`memory of ${name} stays flat`, slope <= mostMegabytesPerHour, found)
    else scene.figure(`memory of ${name}`, found)
  }
  scene.verdicts(await reckon(house, load))
  scene.figure('requests', tellTally(load))
})

function look(house: House, seen: Map<string, { x: number; y: number }[]>, hours: number): void {
  for (const part of [...house.apis, ...house.workers]) {
    if (!part.isRunning()) continue
    const points = seen.get(part.name) ?? []
    seen.set(part.name, points)
    points.push({ x: hours, y: memoryOf(part.pid()) })
  }
}
