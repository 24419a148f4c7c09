// Do 10,000 idle connections disturb 200 requests a second?
import { readFileSync } from 'node:fs'
import { openHouse } from './house.ts'
import { askSteadily, sitIdle } from './idle.ts'
import { scenario } from './scenario.ts'
import { fillHouse } from './stock.ts'

const perSecond = 200

await scenario(import.meta, { loops: 10_000, short: 1_000 }, async (scene) => {
  const seconds = Number(scene.option('seconds', scene.isShort ? '5' : '30'))
  await using house = await openHouse({ apis: 1, workers: 0, env: { IDLE_TIMEOUT_MS: '600000' } })
  await fillHouse(house)
  const [door, api] = [house.doors[0]!, house.apis[0]!]
  const ask = () => door.ask({ method: 'GET', path: '/api/v1/spaces' })
  const alone = percentiles(await askSteadily(perSecond, Math.min(seconds, 10), ask))
  scene.figure('without them', `p50 ${alone.p50} ms, p99 ${alone.p99} ms`)
  const began = performance.now()
  const idle = await sitIdle(door.url, scene.loops, { 'x-internal-token': house.internalToken })
  scene.figure('opened in', `${Math.round(performance.now() - began)} ms`)
  try {
    const answers = await askSteadily(perSecond, seconds, ask)
    const good = answers.filter((one) => one.kind === 'answered' && one.status === 200)
    scene.verdict('none is refused', good.length === answers.length, `${good.length} of ${answers.length}`)
    const { p50, p99 } = percentiles(answers)
    const times = (p99 / Math.max(1, alone.p99)).toFixed(1)
    scene.verdict('p99 under 500 ms', p99 < 500, `${p99} ms, p50 ${p50} ms; ${times} times that without them`)
    scene.verdict('all stay open', idle.open() === scene.loops, `${idle.open()} of ${scene.loops}`)
    const peakMb = peakMbOf(api.pid())
    scene.verdict('under 600 MB', peakMb < 600, `${peakMb} MB at most`)
  } finally {
    idle.close()
  }
})

function percentiles(answers: readonly { ms: number }[]): { p50: number; p99: number } {
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]!)
  return { p50: at(0.5), p99: at(0.99) }
}

/** The most memory that the process ever had, by what the system knows of it. */
function peakMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1_024)
}
