// Is anything lost when an organization moves to another cell and back, and the cell that it has left is killed?
import { setTimeout as sleep } from 'node:timers/promises'
import {
  checkFeed,
  checkPushes,
  followFeed,
  hasNotice,
  measureRouting,
  probeAnswers,
} from './cells-checks.ts'
import type { Cluster } from './cluster.ts'
import { addFixtures } from './fixtures.ts'
import { busyMs, slowestCommit, until, verifyLedger } from './kills.ts'
import { startLoad, type Load } from './load.ts'
import { formatTally, formatTimes, runScenario } from './scenario.ts'
import { openTwoCells, type CellName } from './two-cells.ts'

await runScenario(import.meta, { loops: 5, short: 1 }, async (context) => {
  await using cells = await openTwoCells()
  const { main, second } = cells
  const moving: Cluster = { ...main, clients: [await cells.clientOf(main.organization)] }
  const staying: Cluster = { ...second, clients: [await cells.clientOf(second.organization)] }
  const fixtures = await addFixtures(moving)
  const workloads = { payments: 1, bookings: 2, prices: 3, messages: 1, reads: 1 }
  // The short form runs beside other tests, which need the processors too.
  const load = startLoad(moving, fixtures, { workloads, paceMs: context.isShort ? 500 : 60 })
  const neighbour = startLoad(staying, await addFixtures(staying, 'B'), {
    ...{
      name: 'neighbour',
      workloads: { ...workloads, payments: 0, messages: 0 },
      paceMs: context.isShort ? 1_000 : 200,
    },
  })
  const feed = followFeed(moving.clients[0]!)
  const probe = await probeAnswers(cells, load, fixtures.priced[0]!.unitId)

  const frozenMs: number[] = []
  const move = async (from: CellName) => frozenMs.push((await cells.move(from)).frozen_ms!)
  let noticed = 0
  const slowestMs = await slowestCommit(second, async () => {
    for (let loop = 0; loop < context.loops; loop++) {
      await sleep(2_000)
      await move('main')
      const movedAt = new Date()
      await until('a notice of a payment there', () => hasNotice(second, movedAt))
      // A request that was repeated during the move has its response.
      await sleep(1_000)
      const before = failuresOf(load)
      for (const part of [...main.workers, ...main.apis, main.postgres]) await part.kill('SIGKILL')
      await sleep(3_000)
      noticed += failuresOf(load) - before
      await main.postgres.start()
      await Promise.all([...main.apis, ...main.workers].map((part) => part.start()))
      await cells.move('main', '--finish')
      await move('second')
      await cells.move('second', '--finish')
    }
  })
  const isBusy = context.isShort && slowestMs >= busyMs
  context.verdict(
    'the organization does not notice that the cell that it has left is killed',
    isBusy || noticed === 0,
    `${formatTally(load)}, slowest commit ${Math.round(slowestMs)} ms`,
  )

  context.metric('frozen', formatTimes(frozenMs))
  await sleep(1_000)
  context.verdicts([await probe(), ...(await verifyLedger(moving, load))])
  await neighbour.stop()
  context.verdict(
    'the organization that stays notices nothing',
    neighbour.tally.answered > 0 &&
      neighbour.tally.lost === 0 &&
      [...neighbour.tally.failures.keys()].every((status) => isBusy && status === 503),
    formatTally(neighbour),
  )
  context.metric(
    'a request',
    await measureRouting(await cells.clientOf(second.organization, 'second'), staying.clients[0]!),
  )
  const targets = Object.values(fixtures as unknown as Record<string, { targetId: string }[]>).flat()
  context.verdicts([
    checkPushes(
      cells,
      targets.map(({ targetId }) => targetId),
      2 * context.loops,
    ),
    await checkFeed(moving, await feed.stop()),
  ])
})

function failuresOf({ tally }: Load): number {
  return tally.lost + tally.refused + [...tally.failures.values()].reduce((sum, times) => sum + times, 0)
}
