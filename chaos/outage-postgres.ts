// Does everything say 503 in time while PostgreSQL is away, and is all as before when it is back?
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type Fault, type FaultProxy } from '../server/test/fault-proxy.ts'
import type { Outcome } from './door.ts'
import { openHouse, type House } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, tellTally, type Scene } from './scenario.ts'
import { fillHouse } from './stock.ts'

const mostMs = 2_500
const mostSecondsToNormal = 5

await scenario(import.meta, { loops: 1, short: 1 }, async (scene) => {
  let way: FaultProxy | undefined
  await using house = await openHouse({
    async between(part, url) {
      if (part !== 'postgres') return url
      way = await startFaultProxy(url)
      return way.url
    },
  })
  house.parts.use(way!)
  const stock = await fillHouse(house)
  const pids = () => [...house.apis, ...house.workers].map((part) => part.pid()).join(', ')
  const pidsBefore = pids()
  for (const mode of ['blackhole', 'refuse', 'reset'] as const) {
    const load = startLoad(house, stock, { name: mode })
    await sleep(3_000)
    await beAway(scene, house, way!, { mode }, scene.isShort ? 8 : 30)
    await sleep(3_000)
    scene.verdicts(
      (await reckon(house, load)).map((finding) => ({ ...finding, name: `${mode}: ${finding.name}` })),
    )
    scene.figure(`${mode}: requests`, tellTally(load))
  }
  const areOn = [...house.apis, ...house.workers].every((part) => part.isRunning())
  scene.verdict('no process ends', areOn && pids() === pidsBefore, `${pidsBefore} and ${pids()}`)
})

/** Ten writes a second while it is away, each of which must hear so in time; then until ten in a row succeed. */
async function beAway(scene: Scene, house: House, way: FaultProxy, fault: Fault, seconds: number) {
  const write = (n: number): Promise<Outcome> =>
    house.doors[n % house.doors.length]!.ask({
      ...{ method: 'POST', path: '/api/v1/spaces', body: { name: `Outage ${n}` } },
    })
  await way.set(fault)
  const asked: Promise<Outcome>[] = []
  for (let n = 0; n < seconds * 10; n++) {
    asked.push(write(n))
    await sleep(100)
  }
  const outcomes = await Promise.all(asked)
  const wrong = outcomes.filter((one) => !isDecent(one))
  const slowest = Math.max(...outcomes.map(({ ms }) => ms))
  await way.set({ mode: 'pass' })
  const backAt = performance.now()
  let inARow = 0
  let normalAt = backAt
  for (let n = 0; inARow < 10; n++) {
    const askedAt = performance.now()
    const outcome = await write(n)
    if (inARow === 0) normalAt = askedAt
    inARow = outcome.kind === 'answered' && outcome.status === 201 ? inARow + 1 : 0
    if (inARow === 0) await sleep(50)
  }
  const toNormal = (normalAt - backAt) / 1_000
  const { mode } = fault
  scene.verdict(
    `${mode}: each write is refused with a problem, 503 and Retry-After`,
    wrong.length === 0,
    `${wrong.length} of ${outcomes.length} not${wrong[0] ? `, such as ${told(wrong[0])}` : ''}`,
  )
  scene.verdict(`${mode}: within ${mostMs} ms`, slowest <= mostMs, `slowest ${Math.round(slowest)} ms`)
  scene.verdict(
    `${mode}: normal within ${mostSecondsToNormal} s of its return`,
    toNormal <= mostSecondsToNormal,
    `${toNormal.toFixed(1)} s until the first of ten writes in a row`,
  )
}

function isDecent(outcome: Outcome): boolean {
  return (
    outcome.kind === 'answered' &&
    outcome.status === 503 &&
    outcome.body?.code === 'unavailable' &&
    outcome.headers['retry-after'] !== undefined
  )
}

function told(outcome: Outcome): string {
  return outcome.kind === 'answered'
    ? `${outcome.status} ${outcome.text.slice(0, 120)}`
    : `${outcome.kind} ${outcome.why}`
}
