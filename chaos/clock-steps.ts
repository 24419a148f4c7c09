// Is everything correct when the clocks of an API process and a worker change by an hour and back under load?
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const hourMs = 3_600_000

await runScenario(import.meta, { loops: 6, short: 1 }, async (context) => {
  await using cluster = await openCluster()
  const clock = join(cluster.home, 'clock')
  writeFileSync(clock, '0')
  // Only the second process of each kind has a wrong clock.
  for (const part of [cluster.apis[1]!, cluster.workers[1]!]) {
    await part.kill('SIGTERM')
    await part.start({ imports: [join(import.meta.dirname, 'clock-ahead.ts')], env: { CHAOS_CLOCK: clock } })
  }
  const offsets: number[] = []
  const load = startLoad(cluster, await addFixtures(cluster), { workloads: { payments: 1 } })
  for (let n = 0; n < context.loops; n++)
    for (const offsetMs of [hourMs, 0, -hourMs + 60_000, 0]) {
      writeFileSync(clock, String(offsetMs))
      await sleep(3_000)
      const health = await cluster.clients[1]!.attempt({ method: 'GET', path: '/health' })
      offsets.push(
        health.kind === 'answered' ? Date.parse(health.body.timestamp as string) - Date.now() : NaN,
      )
    }
  const widest = Math.max(...offsets.map(Math.abs))
  context.verdict('the clock was wrong', widest > hourMs / 2, `${Math.round(widest / 60_000)} minutes`)
  context.verdicts(await verifyLedger(cluster, load))
  context.metric('requests', formatTally(load))
})
