// Do requests go on while thousands of connections are open and say nothing, and when PostgreSQL has none left to give?
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '../server/src/db/connect.ts'
import { sql } from 'kysely'
import type { Outcome } from './door.ts'
import { openHouse, type House } from './house.ts'
import { memoryOf } from './memory.ts'
import { scenario, spread, type Scene } from './scenario.ts'
import { fillHouse } from './stock.ts'

const perSecond = 200

await scenario(import.meta, { loops: 10_000, short: 1_000 }, async (scene) => {
  await using house = await openHouse({ apis: 1, workers: 1 })
  await fillHouse(house)
  await idleConnections(scene, house)
  await exhaustedDatabase(scene, house)
})

async function idleConnections(scene: Scene, house: House): Promise<void> {
  const { hostname, port } = new URL(house.doors[0]!.url)
  const idle: Socket[] = []
  let refused = 0
  while (idle.length + refused < scene.loops) {
    const socket = connect(Number(port), hostname)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    if (isOpen) idle.push(socket.on('error', () => {}))
    else refused++
    // Half of them have asked once, and keep their connection.
    if (isOpen && idle.length % 2 === 0) socket.write('GET /health/live HTTP/1.1\r\nhost: chaos\r\n\r\n')
    socket.resume()
  }
  const asked: Promise<Outcome>[] = []
  const startedAt = performance.now()
  for (let n = 0; n < 10 * perSecond; n++) {
    asked.push(house.doors[0]!.ask({ method: 'GET', path: '/api/v1/spaces?limit=5' }))
    await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()))
  }
  const outcomes = await Promise.all(asked)
  const failed = outcomes.filter((one) => one.kind !== 'answered' || one.status !== 200)
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] ?? NaN
  const megabytes = memoryOf(house.apis[0]!.pid())
  for (const socket of idle) socket.destroy()
  scene.verdict(
    'no connection and no request is refused',
    refused + failed.length === 0,
    `${refused} and ${failed.length}`,
  )
  scene.verdict('p99 below 500 ms', p99 < 500, `${Math.round(p99)} ms; ${spread(times)}`)
  scene.verdict(
    'below 600 MB',
    megabytes < 600,
    `${Math.round(megabytes)} MB with ${idle.length} idle connections`,
  )
}

/** Somebody else takes all connections that PostgreSQL has. */
async function exhaustedDatabase(scene: Scene, house: House): Promise<void> {
  await using taken = new AsyncDisposableStack()
  const greedy = openDatabase({
    ...{ url: house.postgres.url(), poolSize: 200, role: null, statementTimeoutMs: 600_000, prepare: false },
    ...{ applicationName: 'greedy', onError: () => {} },
  })
  taken.defer(() => greedy.close())
  const gate = Promise.withResolvers<void>()
  const holders = Array.from({ length: 200 }, () => hold(greedy, gate.promise))
  await sleep(5_000)
  // Connections at hand are given back when they are idle for ten seconds, and then are taken, too.
  await sleep(12_000)
  await Promise.all(Array.from({ length: 50 }, () => hold(greedy, gate.promise, 0)))
  const asked = Array.from({ length: 40 }, (_, n) =>
    house.doors[0]!.ask({ method: 'POST', path: '/api/v1/spaces', body: { name: `Crowded ${n}` } }),
  )
  const outcomes = await Promise.all(asked)
  const others = outcomes.filter((one) => one.kind !== 'answered' || ![201, 503].includes(one.status))
  const slowest = Math.max(...outcomes.map(({ ms }) => ms))
  gate.resolve()
  await Promise.all(holders)
  scene.verdict(
    'PostgreSQL full: 201 or 503, nothing else',
    others.length === 0,
    `${others.length} of ${outcomes.length} else`,
  )
  scene.verdict('PostgreSQL full: nobody hangs', slowest < 2_500, `slowest ${Math.round(slowest)} ms`)
  scene.figure(
    'PostgreSQL full: refused',
    outcomes.filter((one) => one.kind === 'answered' && one.status === 503).length,
  )
}

async function hold(database: Database, until: Promise<void>, ms = Infinity): Promise<void> {
  const work = database.transaction({ orgId: null }, async ({ run }) => {
    await run(sql`set local idle_in_transaction_session_timeout = 0`)
    await Promise.race([until, ...(ms === Infinity ? [] : [sleep(ms)])])
  })
  await work.catch(() => {})
}
