// Is anything lost when a PgBouncer in transaction mode is killed under load?
import { setTimeout as sleep } from 'node:timers/promises'
import { startPgBouncer, type OwnPgBouncer } from '../server/test/own-pgbouncer.ts'
import { openCluster } from './cluster.ts'
import { waitUntilReady, verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { findProgram } from './managed-process.ts'
import { reservePort } from '../server/test/reserve-port.ts'
import { runScenario, formatTimes, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

await runScenario(import.meta, { loops: 10, short: 3 }, async (context) => {
  const program = findProgram('pgbouncer')
  if (!program) throw new Error('There is no pgbouncer here: install the package pgbouncer.')
  let pooler: OwnPgBouncer | undefined
  let directUrl = ''
  const port = await reservePort()
  const start = () =>
    startPgBouncer({ mode: 'transaction', poolSize: 10, port, program, serverUrl: directUrl })
  await using cluster = await openCluster({
    env: (databaseUrl) => ({ DATABASE_DIRECT_URL: databaseUrl, DATABASE_PREPARE: 'false' }),
    async intercept(part, url) {
      if (part !== 'postgres') return url
      directUrl = url
      pooler = await start()
      return pooler.urlOf(url)
    },
  })
  cluster.resources.defer(async () => await pooler?.[Symbol.asyncDispose]())
  const load = startLoad(cluster, await addFixtures(cluster))
  const readyMs: number[] = []
  for (let n = 0; n < context.loops; n++) {
    await sleep(2_000)
    await pooler![Symbol.asyncDispose]()
    const startedAt = performance.now()
    pooler = await start()
    await Promise.all(cluster.clients.map(waitUntilReady))
    readyMs.push(performance.now() - startedAt)
  }
  context.verdicts(await verifyLedger(cluster, load))
  context.verdict('ready again within 3 s', Math.max(...readyMs) < 3_000, formatTimes(readyMs))
  context.verdict(
    'every error response is a 503',
    [...load.tally.failures.keys()].every((status) => status === 503),
    formatTally(load),
  )
  const areRunning = [...cluster.apis, ...cluster.workers].every((part) => part.isRunning())
  context.verdict('no process ends', areRunning, areRunning ? 'all run' : 'some ended')
})
