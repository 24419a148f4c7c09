// Does a highly available installation lose a write, a stream or a schedule when its parts are killed?
import { liveness } from '../server/src/db/liveness.ts'
import { findMissingPackages } from './patroni.ts'
import { checkOutPreviousBuild } from './builds.ts'
import { openFailoverCluster } from './failover-cluster.ts'
import { failRedisOver, killLeaders, msOf, openManyConnections, startHolds } from './failover-steps.ts'
import { addFixtures } from './fixtures.ts'
import { busyMs, slowestCommit, until, verifyLedger } from './kills.ts'
import { followStream } from './live-stream.ts'
import { startLoad } from './load.ts'
import { allProcesses, restartInTurn } from './rolling.ts'
import { formatTally, formatTimes, runScenario } from './scenario.ts'

await runScenario(import.meta, { loops: 20, short: 2 }, async (context) => {
  const missing = findMissingPackages()
  if (missing.length > 0) throw new Error(`Install these packages: ${missing.join(', ')}.`)
  using previous = checkOutPreviousBuild()
  if (previous)
    context.metric('previous build', `${previous.commit.slice(0, 9)}, without ${previous.missing.join(', ')}`)
  else context.metric('NOT TESTED', 'the upgrade: the history ends before the previous build')
  await using opened = await openFailoverCluster(previous?.root)
  const { cluster } = opened
  const fixtures = await addFixtures(cluster)
  await using stream = await followStream(cluster)
  const holds = startHolds(cluster, fixtures)
  const writtenAt: number[] = []
  const sentAt: number[] = []
  const succeededAt: number[] = []
  let withoutRetryAfter = 0
  let wasBusy = false
  const load = startLoad(cluster, fixtures, {
    workloads: { steady: 1 },
    ...{ paceMs: 500, perSecond: context.isShort ? 5 : 90 },
    onOutcome(request, outcome) {
      sentAt.push(performance.now() - outcome.ms)
      if (outcome.kind !== 'answered') return
      if (outcome.status < 500) succeededAt.push(performance.now())
      if (request.method !== 'GET' && outcome.status < 300) writtenAt.push(performance.now())
      if (outcome.status === 503 && !outcome.headers.has('retry-after')) withoutRetryAfter++
    },
  })
  const { tally } = load
  const countFailures = () => [...tally.failures.values()].reduce((sum, times) => sum + times, 0)
  const replaceAll = async () => {
    for (const part of allProcesses(cluster)) {
      await restartInTurn([part], 1)
      await until('HAProxy knows both API processes', opened.isBalanced)
    }
    await stream.assertContinues()
  }
  if (previous)
    await expectNoFailure('no request fails while the previous build is replaced', async () => {
      await opened.migrate()
      await replaceAll()
    })

  const startedAt = performance.now()
  const { away, leaderChanges } = await killLeaders({
    ...{ ...opened, count: context.loops, writtenAt },
    beforeEach: () => holds.add(),
    afterEach: () => stream.assertContinues(),
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const awayMs = away.map(msOf)
  const awaySeconds = awayMs.reduce((sum, ms) => sum + ms, 0) / 1_000
  const perSecond = (times: readonly number[]) => {
    const counted = times.filter(
      (time) => time > startedAt && !away.some(([from, to]) => time > from && time < to),
    )
    return Math.round(counted.length / (seconds - awaySeconds))
  }
  const offered = perSecond(sentAt)
  const details = `${offered} offered, ${perSecond(succeededAt)} reached, while there was a leader`
  if (context.isShort) context.metric('requests per second', details)
  else context.verdict('at least 100 requests per second are offered', offered >= 100, details)
  context.metric('kills that changed the leader', `${leaderChanges} of ${context.loops}`)
  if (context.isShort) context.metric('without an acknowledged write', formatTimes(awayMs))
  else
    context.verdict(
      'writes are acknowledged again within 20 s',
      Math.max(...awayMs) < 20_000,
      formatTimes(awayMs),
    )
  context.verdict(
    'every error response is a 503 with Retry-After',
    withoutRetryAfter === 0 && (wasBusy || [...tally.failures.keys()].every((status) => status === 503)),
    `${formatTally(load)}, ${withoutRetryAfter} without`,
  )
  context.verdict('the live stream continues after each', true, `${stream.connections()} connections`)

  await expectNoFailure('no request fails while Redis fails over', () => failRedisOver(opened))
  if (!context.isShort || !previous)
    await expectNoFailure('no request fails while processes are restarted one after the other', async () => {
      for (let n = 0; n < (context.isShort ? 1 : 5); n++) await replaceAll()
    })
  if (!context.isShort) context.verdicts(await openManyConnections(opened))
  context.verdicts(await verifyLedger(cluster, load))
  await holds.waitUntilExpired()
  context.verdicts([await holds.verify()])

  /**
   * A machine that stands still for a second makes requests fail with a 503 that no restart has caused. The short form
   * runs beside other tests: it only asserts that every other request succeeds, and where commits are slow, that no write
   * is lost.
   */
  async function expectNoFailure(name: string, work: () => Promise<number | void>) {
    const count = () => ({
      requests: tally.sent,
      lost: tally.lost + tally.refused,
      unavailable: tally.failures.get(503) ?? 0,
      failed: countFailures(),
    })
    const before = count()
    tally.samples.length = 0
    let others = 0
    const slowestMs = await slowestCommit(cluster, async () => {
      others = (await work()) ?? 0
    })
    const after = count()
    const lost = after.lost - before.lost
    const failed = after.failed - before.failed + others
    const unavailable = after.unavailable - before.unavailable + others
    const isBusy = context.isShort && slowestMs >= busyMs
    wasBusy ||= isBusy
    const isExplained =
      (context.isShort || slowestMs >= liveness.silentMs) && failed === unavailable && lost === 0
    const details = `${after.requests - before.requests} requests, ${failed} failed, ${lost} lost, slowest commit ${Math.round(slowestMs)} ms`
    context.verdict(
      name,
      isBusy || isExplained || failed + lost === 0,
      [details, ...tally.samples].join('\n        '),
    )
  }
})
