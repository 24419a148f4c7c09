// Are requests answered while thousands of idle connections are open, and while PostgreSQL has no connection left?
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '../server/src/db/connect.ts'
import { sql } from '../server/src/db/sql.ts'
import type { RequestOutcome } from '../server/test/caller.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { memoryOf } from './managed-process.ts'
import { runScenario, formatTimes, type ScenarioContext } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const perSecond = 200

await runScenario(import.meta, { loops: 10_000, short: 1_000 }, async (context) => {
  await using cluster = await openCluster({ apis: 1, workers: 1 })
  await addFixtures(cluster)
  await idleConnections(context, cluster)
  await exhaustedDatabase(context, cluster)
})

async function idleConnections(context: ScenarioContext, cluster: Cluster): Promise<void> {
  const { hostname, port } = new URL(cluster.clients[0]!.url)
  const idle: Socket[] = []
  let refused = 0
  while (idle.length + refused < context.loops) {
    const socket = connect(Number(port), hostname)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    if (isOpen) idle.push(socket.on('error', () => {}))
    else refused++
    // Half of them have sent a request before.
    if (isOpen && idle.length % 2 === 0) socket.write('GET /health/live HTTP/1.1\r\nhost: chaos\r\n\r\n')
    socket.resume()
  }
  const requests: Promise<RequestOutcome>[] = []
  const startedAt = performance.now()
  for (let n = 0; n < 10 * perSecond; n++) {
    requests.push(cluster.clients[0]!.attempt({ method: 'GET', path: '/api/v1/spaces?limit=5' }))
    await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()))
  }
  const outcomes = await Promise.all(requests)
  const failed = outcomes.filter((one) => one.kind !== 'answered' || one.status !== 200)
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] ?? NaN
  const megabytes = memoryOf(cluster.apis[0]!.pid())
  for (const socket of idle) socket.destroy()
  context.verdict(
    'no connection or request is refused',
    refused + failed.length === 0,
    `${refused} and ${failed.length}`,
  )
  context.verdict('p99 below 500 ms', p99 < 500, `${Math.round(p99)} ms; ${formatTimes(times)}`)
  context.verdict(
    'below 600 MB',
    megabytes < 600,
    `${Math.round(megabytes)} MB with ${idle.length} idle connections`,
  )
}

/** Another client takes all connections of PostgreSQL. */
async function exhaustedDatabase(context: ScenarioContext, cluster: Cluster): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const otherDatabase = openDatabase({
    ...{
      url: cluster.postgres.url(),
      poolSize: 200,
      role: null,
      statementTimeoutMs: 600_000,
      prepare: false,
    },
    ...{ applicationName: 'other', onError: () => {} },
  })
  resources.defer(() => otherDatabase.close())
  const release = Promise.withResolvers<void>()
  const holders = Array.from({ length: 200 }, () => holdConnection(otherDatabase, release.promise))
  await sleep(5_000)
  // The product closes connections that are idle for ten seconds; those are taken as well.
  await sleep(12_000)
  await Promise.all(Array.from({ length: 50 }, () => holdConnection(otherDatabase, release.promise, 0)))
  const requests = Array.from({ length: 40 }, (_, n) =>
    cluster.clients[0]!.attempt({ method: 'POST', path: '/api/v1/spaces', body: { name: `Crowded ${n}` } }),
  )
  const outcomes = await Promise.all(requests)
  const others = outcomes.filter((one) => one.kind !== 'answered' || ![201, 503].includes(one.status))
  const slowest = Math.max(...outcomes.map(({ ms }) => ms))
  release.resolve()
  await Promise.all(holders)
  context.verdict(
    'PostgreSQL full: every response is 201 or 503',
    others.length === 0,
    `${others.length} of ${outcomes.length} others`,
  )
  context.verdict('PostgreSQL full: no request hangs', slowest < 2_500, `slowest ${Math.round(slowest)} ms`)
  context.metric(
    'PostgreSQL full: responses with 503',
    outcomes.filter((one) => one.kind === 'answered' && one.status === 503).length,
  )
}

async function holdConnection(database: Database, until: Promise<void>, ms = Infinity): Promise<void> {
  const work = database.transaction({ orgId: null }, async ({ run }) => {
    await run(sql`set local idle_in_transaction_session_timeout = 0`)
    await Promise.race([until, ...(ms === Infinity ? [] : [sleep(ms)])])
  })
  await work.catch(() => {})
}
