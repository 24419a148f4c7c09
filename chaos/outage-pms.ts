// While the PMS of one target is silent or slow, are other targets synced as before?
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import { startFaultProxy, type Fault } from '../server/test/fault-proxy.ts'
import type { OutgoingRequest, Reply } from '../server/test/caller.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTally } from './scenario.ts'
import { addFixtures } from './fixtures.ts'

const timeoutMs = 2_000
const maxRatio = 2
const faults: Fault[] = [
  { mode: 'blackhole' },
  { mode: 'trickle', bytesPerSecond: 40 },
  { mode: 'reset' },
  { mode: 'drop_reply' },
]

await runScenario(import.meta, { loops: 30, short: 8 }, async (context) => {
  await using cluster = await openCluster({ env: { PMS_TIMEOUT_MS: String(timeoutMs) } })
  const proxy = cluster.resources.use(await startFaultProxy(cluster.sandbox.pmsUrl))
  const fixtures = await addFixtures(cluster)
  const disturbed = [...fixtures.scarce, ...fixtures.wide]
  for (const { targetId } of disturbed) await setPmsUrl(cluster, targetId, proxy.url)
  const healthy = fixtures.priced.map(({ listingId }) => listingId)
  for (const fault of faults) {
    const load = startLoad(cluster, fixtures, { name: fault.mode })
    const quietFrom = new Date()
    await sleep(context.loops * 1_000)
    const from = new Date()
    await proxy.set(fault)
    await sleep(context.loops * 1_000)
    const until = new Date()
    await proxy.set({ mode: 'pass' })
    const before = await pushDurations(cluster, healthy, quietFrom, from)
    const meanwhile = await pushDurations(cluster, healthy, from, until)
    context.verdict(
      `${fault.mode}: other targets are synced`,
      meanwhile.pushes > 0 && meanwhile.medianMs <= maxRatio * Math.max(before.medianMs, 50),
      `${meanwhile.pushes} with a median of ${meanwhile.medianMs} ms, ${before.pushes} with ${before.medianMs} ms before`,
    )
    context.verdicts(
      (await verifyLedger(cluster, load)).map((finding) => ({
        ...finding,
        name: `${fault.mode}: ${finding.name}`,
      })),
    )
    context.metric(`${fault.mode}: requests`, formatTally(load))
  }
  const [row] = await cluster.query(
    sql<{
      max_attempt_ms: number
    }>`select coalesce(max(extract(epoch from finished_at - started_at)) * 1000, 0)::int as max_attempt_ms
      from sync_audit where finished_at is not null`,
  )
  context.metric('longest attempt, ms', row!.max_attempt_ms)
})

/** Sends the pushes of a target through a proxy. */
async function setPmsUrl(cluster: Cluster, targetId: string, url: string): Promise<void> {
  const path = `/api/v1/channel-targets/${targetId}`
  const { channel_type, name } = (await requestBody(cluster, { method: 'GET', path })).channel_target
  const body = { channel_type, name, config: { debounce_ms: 100, base_url: url } }
  await requestBody(cluster, { method: 'PUT', path, body })
}

async function requestBody({ clients }: Cluster, request: OutgoingRequest): Promise<Reply['body']> {
  const outcome = await clients[0]!.attempt(request)
  if (outcome.kind === 'answered' && outcome.status === 200) return outcome.body
  throw new Error(JSON.stringify(outcome))
}

/** The durations of pushes of these listings that ended in a period. */
async function pushDurations({ query }: Cluster, listings: readonly string[], from: Date, to: Date) {
  const [row] = await query(sql<{ pushes: number; medianMs: number }>`
    select count(*)::int as pushes,
      coalesce(percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at) * 1000), 0)::int
        as "medianMs"
    from sync_audit
    where channel_listing_id = any(${[...listings]}::uuid[])
      and finished_at between ${from.toISOString()} and ${to.toISOString()}`)
  return row!
}
