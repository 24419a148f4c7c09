import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openCluster, type Cluster } from './cluster.ts'
import { checks } from './check-ledger.ts'
import { losses } from './losses.ts'
import {
  busyMs,
  killApis,
  killPostgres,
  killRedis,
  killWorkers,
  slowestCommit,
  verifyLedger,
} from './kills.ts'
import { startLoad, type Load } from './load.ts'
import { allProcesses, restartInTurn } from './rolling.ts'
import { addFixtures, type Fixtures } from './fixtures.ts'

/** Kills each part twice under load, then verifies the ledger. `npm run chaos` runs the same scenarios for longer. */
suite('killed processes under load', () => {
  let cluster: Cluster
  let fixtures: Fixtures
  let load: Load

  before(async () => {
    cluster = await openCluster()
    fixtures = await addFixtures(cluster)
    const workloads = { bookings: 2, prices: 2, messages: 1, payments: 1, reads: 1 }
    load = startLoad(cluster, fixtures, { workloads, paceMs: 500 })
  })
  after(() => cluster[Symbol.asyncDispose]())

  // `npm run chaos -- rolling-restart` also checks that no connection is cut, which a busy machine does not guarantee.
  test('no request fails while processes are restarted one after the other', async (t) => {
    const slowestMs = await slowestCommit(cluster, () => restartInTurn(allProcesses(cluster), 1))
    const { failures, samples } = load.tally
    const isExplained = slowestMs >= busyMs && [...failures.keys()].every((status) => status === 503)
    if (isExplained) t.diagnostic(`PostgreSQL itself took ${Math.round(slowestMs)} ms for a commit`)
    else
      assert.deepEqual(
        [...failures],
        [],
        [...samples, ...cluster.apis.map((api) => api.logTail())].join('\n'),
      )
  })

  test('API processes are killed and start again', async () => {
    const { readyMs } = await killApis(cluster, 2)
    assert.equal(readyMs.length, 2)
  })

  test('no process ends when PostgreSQL is killed', async () => {
    const { readyMs } = await killPostgres(cluster, 2)
    assert.equal(readyMs.length, 2)
  })

  test('no request fails when Redis is killed', async (t) => {
    if (!cluster.redis) {
      assert.ok(!process.env['CI'], 'CI has a redis-server')
      return t.diagnostic('NOT TESTED: there is no redis-server on this machine')
    }
    const { redis } = cluster
    const before = failed(load)
    const slowestMs = await slowestCommit(cluster, () => killRedis(cluster, redis, 2))
    if (slowestMs < busyMs) assert.deepEqual(failed(load), before, load.tally.samples.join('\n'))
    else t.diagnostic(`NOT TESTED: PostgreSQL itself took ${Math.round(slowestMs)} ms for a commit`)
  })

  test('a push completes after the workers were killed twice during it', async () => {
    const { pushMs } = await killWorkers(cluster, fixtures.priced[3]!, 1)
    assert.equal(pushMs.length, 1)
  })

  test('every acknowledged write is present once', async () => {
    const findings = await verifyLedger(cluster, load)
    assert.deepEqual(
      findings.filter(({ passed }) => !passed),
      [],
    )
    const { bookings, messages, payments } = load.ledger
    assert.ok(
      bookings.size > 0 && messages.size > 0 && payments.size > 0,
      'the load made no bookings, messages or payments',
    )
  })

  test('each check detects the loss that it is for', async () => {
    for (const [name, causeLoss] of Object.entries(losses)) {
      await causeLoss(cluster, fixtures, load.ledger)
      const { wrong } = await checks[name]!({ cluster, ledger: load.ledger })
      assert.ok(wrong.length > 0, `not detected: ${name}`)
    }
    assert.deepEqual(Object.keys(losses), Object.keys(checks))
  })
})

/** Failed requests, without refused connections. */
const failed = ({ tally }: Load) => [tally.lost, [...tally.failures]]
