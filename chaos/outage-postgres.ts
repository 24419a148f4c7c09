// Is every response a 503 in time while PostgreSQL is down, and is everything as before when it is back?
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultProxy, type Fault, type FaultProxy } from '../server/test/fault-proxy.ts'
import type { RequestOutcome } from '../server/test/caller.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTally, type ScenarioContext } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const maxMs = 2_500
const maxSecondsToNormal = 5

await runScenario(import.meta, { loops: 1, short: 1 }, async (context) => {
  let proxy: FaultProxy | undefined
  await using cluster = await openCluster({
    async intercept(part, url) {
      if (part !== 'postgres') return url
      proxy = await startFaultProxy(url)
      return proxy.url
    },
  })
  cluster.resources.use(proxy!)
  const fixtures = await addFixtures(cluster)
  const pids = () => [...cluster.apis, ...cluster.workers].map((part) => part.pid()).join(', ')
  const pidsBefore = pids()
  for (const mode of ['blackhole', 'refuse', 'reset'] as const) {
    const load = startLoad(cluster, fixtures, { name: mode })
    await sleep(3_000)
    await runOutage(context, cluster, proxy!, { mode }, context.isShort ? 8 : 30)
    await sleep(3_000)
    context.verdicts(
      (await verifyLedger(cluster, load)).map((finding) => ({
        ...finding,
        name: `${mode}: ${finding.name}`,
      })),
    )
    context.metric(`${mode}: requests`, formatTally(load))
  }
  const areRunning = [...cluster.apis, ...cluster.workers].every((part) => part.isRunning())
  context.verdict('no process ends', areRunning && pids() === pidsBefore, `${pidsBefore} and ${pids()}`)
})

/** Sends ten writes a second during the outage, each of which must fail in time; then writes until ten in a row succeed. */
async function runOutage(
  context: ScenarioContext,
  cluster: Cluster,
  proxy: FaultProxy,
  fault: Fault,
  seconds: number,
) {
  const write = (n: number): Promise<RequestOutcome> =>
    cluster.clients[n % cluster.clients.length]!.attempt({
      ...{ method: 'POST', path: '/api/v1/spaces', body: { name: `Outage ${n}` } },
    })
  await proxy.set(fault)
  const requests: Promise<RequestOutcome>[] = []
  for (let n = 0; n < seconds * 10; n++) {
    requests.push(write(n))
    await sleep(100)
  }
  const outcomes = await Promise.all(requests)
  const wrong = outcomes.filter((one) => !isUnavailableProblem(one))
  const slowest = Math.max(...outcomes.map(({ ms }) => ms))
  await proxy.set({ mode: 'pass' })
  const backAt = performance.now()
  let succeeded = 0
  let normalAt = backAt
  for (let n = 0; succeeded < 10; n++) {
    const sentAt = performance.now()
    const outcome = await write(n)
    if (succeeded === 0) normalAt = sentAt
    succeeded = outcome.kind === 'answered' && outcome.status === 201 ? succeeded + 1 : 0
    if (succeeded === 0) await sleep(50)
  }
  const toNormal = (normalAt - backAt) / 1_000
  const { mode } = fault
  context.verdict(
    `${mode}: each write is refused with a problem document, 503 and Retry-After`,
    wrong.length === 0,
    `${wrong.length} of ${outcomes.length} not${wrong[0] ? `, such as ${describeOutcome(wrong[0])}` : ''}`,
  )
  context.verdict(`${mode}: within ${maxMs} ms`, slowest <= maxMs, `slowest ${Math.round(slowest)} ms`)
  context.verdict(
    `${mode}: normal within ${maxSecondsToNormal} s after the outage`,
    toNormal <= maxSecondsToNormal,
    `${toNormal.toFixed(1)} s until the first of ten writes in a row`,
  )
}

function isUnavailableProblem(outcome: RequestOutcome): boolean {
  return (
    outcome.kind === 'answered' &&
    outcome.status === 503 &&
    outcome.body?.code === 'unavailable' &&
    outcome.headers.has('retry-after')
  )
}

function describeOutcome(outcome: RequestOutcome): string {
  return outcome.kind === 'answered'
    ? `${outcome.status} ${outcome.text.slice(0, 120)}`
    : `${outcome.kind} ${outcome.why}`
}
