// Does a request fail, or wait, while Redis hangs for a minute?
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../server/src/start/processes.ts'
import type { Outcome } from './door.ts'
import { openHouse } from './house.ts'
import { scenario, spread } from './scenario.ts'

const perSecond = 200
const mostWaitMs = 150

await scenario(import.meta, { loops: 60, short: 5 }, async (scene) => {
  await using house = await openHouse({ workers: 0 })
  if (!house.redis) throw new Error('There is no redis-server here: install the package redis-server.')
  // Counted, as those of clients are: without the word that lifts the limits.
  const headers = { 'x-internal-token': '' }
  const ask = (n: number) =>
    house.doors[n % house.doors.length]!.ask({ method: 'GET', path: '/api/v1/auth/session', headers })
  const during = async (seconds: number) => {
    const asked: Promise<Outcome>[] = []
    const startedAt = performance.now()
    for (let n = 0; n < seconds * perSecond; n++) {
      asked.push(ask(n))
      await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()))
    }
    return await Promise.all(asked)
  }
  const before = await during(Math.min(scene.loops, 10))
  signal(house.redis.pid(), 'SIGSTOP')
  const hung = await during(scene.loops).finally(() => signal(house.redis!.pid(), 'SIGCONT'))
  const afterwards = await during(2)
  for (const [name, outcomes] of Object.entries({ hung, afterwards })) {
    const failed = outcomes.filter((one) => one.kind !== 'answered' || one.status >= 500)
    const limited = outcomes.filter((one) => one.kind === 'answered' && one.status === 429)
    const found = `${failed.length} of ${outcomes.length}, ${limited.length} over their limit`
    scene.verdict(`no request fails (${name})`, failed.length === 0, found)
  }
  const times = (outcomes: Outcome[]) => outcomes.map(({ ms }) => ms)
  const usual = Math.max(...times(before))
  const worst = Math.max(...times(hung))
  scene.figure('before', spread(times(before)))
  scene.figure('while it hangs', spread(times(hung)))
  scene.verdict(
    `a hung store costs no request more than ${mostWaitMs} ms`,
    worst <= usual + mostWaitMs,
    `worst ${Math.round(worst)} ms, ${Math.round(usual)} ms before`,
  )
})
