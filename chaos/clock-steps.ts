// Does anything go wrong when the clocks of an API process and a worker step by an hour, to and fro, under load?
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHouse } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

const hourMs = 3_600_000

await scenario(import.meta, { loops: 6, short: 1 }, async (scene) => {
  await using house = await openHouse()
  const clock = join(house.home, 'clock')
  writeFileSync(clock, '0')
  // The second of each kind goes wrong, the first one goes right: they disagree all the time.
  for (const part of [house.apis[1]!, house.workers[1]!]) {
    await part.kill('SIGTERM')
    await part.start({ imports: [join(import.meta.dirname, 'clock-ahead.ts')], env: { CHAOS_CLOCK: clock } })
  }
  const offsets: number[] = []
  const load = startLoad(house, await fillHouse(house), { lanes: { payments: 1 } })
  for (let n = 0; n < scene.loops; n++)
    for (const aheadMs of [hourMs, 0, -hourMs + 60_000, 0]) {
      writeFileSync(clock, String(aheadMs))
      await sleep(3_000)
      const health = await house.doors[1]!.ask({ method: 'GET', path: '/health' })
      offsets.push(
        health.kind === 'answered' ? Date.parse(health.body.timestamp as string) - Date.now() : NaN,
      )
    }
  const widest = Math.max(...offsets.map(Math.abs))
  scene.verdict('the clock did go wrong', widest > hourMs / 2, `${Math.round(widest / 60_000)} minutes`)
  scene.verdicts(await reckon(house, load))
  scene.figure('clients', tellTally(load))
})
