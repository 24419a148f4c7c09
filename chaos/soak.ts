// With a fault each minute for half an hour, does memory stay constant, and is the ledger correct?
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type Fault, type FaultProxy } from '../server/test/fault-proxy.ts'
import { openCluster, type InterceptedPart, type Cluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { memoryOf } from './managed-process.ts'
import { runScenario, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const faultSeconds = 8
const sampleSeconds = 1
const maxMegabytesPerHour = 40
const faults: Fault[] = [
  { mode: 'blackhole' },
  { mode: 'reset' },
  { mode: 'refuse' },
  { mode: 'delay', ms: 300 },
  { mode: 'trickle', bytesPerSecond: 2_000 },
  { mode: 'drop_reply', times: 5 },
]

/** `--loops` is the number of minutes. */
await runScenario(import.meta, { loops: 30, short: 2 }, async (context) => {
  const proxies = new Map<InterceptedPart, FaultProxy>()
  await using cluster = await openCluster({
    env: { PMS_TIMEOUT_MS: '3000' },
    async intercept(part, url) {
      const proxy = await startFaultProxy(url)
      proxies.set(part, proxy)
      return proxy.url
    },
  })
  for (const proxy of proxies.values()) cluster.resources.use(proxy)
  const load = startLoad(cluster, await addFixtures(cluster), { paceMs: 100 })
  const memory = new Map<string, { x: number; y: number }[]>()
  const startedAt = performance.now()
  const timer = setInterval(
    () => recordMemory(cluster, memory, (performance.now() - startedAt) / 3_600_000),
    sampleSeconds * 1_000,
  )
  const parts = [...proxies]
  for (let minute = 0; minute < context.loops; minute++) {
    const [name, proxy] = parts[minute % parts.length]!
    const fault = faults[(minute + Math.floor(minute / parts.length)) % faults.length]!
    await sleep(20_000)
    console.log(`        minute ${minute + 1}: ${name} ${fault.mode}`)
    await proxy.set(fault)
    await sleep(faultSeconds * 1_000)
    await proxy.set({ mode: 'pass' })
    await sleep((40 - faultSeconds) * 1_000)
  }
  clearInterval(timer)
  for (const [name, points] of memory) {
    // Without the first third, in which code is loaded and compiled.
    const later = points.slice(Math.floor(points.length / 3))
    const slope = slopeOf(later)
    const details = `${slope.toFixed(1)} MB an hour, ${Math.round(points.at(-1)!.y)} MB at the end`
    // A few minutes do not show the growth of an hour.
    if (context.loops >= 20)
      context.verdict(`memory of ${name} stays constant`, slope <= maxMegabytesPerHour, details)
    else context.metric(`memory of ${name}`, details)
  }
  context.verdicts(await verifyLedger(cluster, load))
  context.metric('requests', formatTally(load))
})

/** The slope of the regression line through the points. */
function slopeOf(points: readonly { x: number; y: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))]
  const variance = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  return variance === 0 ? 0 : points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / variance
}

function recordMemory(
  cluster: Cluster,
  memory: Map<string, { x: number; y: number }[]>,
  hours: number,
): void {
  for (const part of [...cluster.apis, ...cluster.workers]) {
    if (!part.isRunning()) continue
    const points = memory.get(part.name) ?? []
    memory.set(part.name, points)
    points.push({ x: hours, y: memoryOf(part.pid()) })
  }
}
