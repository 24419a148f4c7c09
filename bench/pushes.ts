// How many pushes a second does one worker deliver, compared with a loop of the same calls?
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import { Agent } from 'undici'
import pMap from 'p-map'
import { addListings, type BenchListing } from './listings.ts'
import { expectStatus } from '../server/test/expect.ts'
import { withBenchWorld, quantile, reportVerdict, type BenchWorld } from './bench-world.ts'

const targets = 20
const listingsEach = 100
const rounds = 3
/** The maximum of concurrent calls: 64 to one PMS, four for each target. */
const engineConcurrency = Math.min(64, targets * 4)

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

await withBenchWorld(async (bench) => {
  const listings = await addListings(bench.operator, { targets, listingsEach, config: { debounce_ms: 0 } })
  const worker = await bench.startWorker()
  await bench.settled(300)
  await bench.refreshStatistics()
  console.log(`${listings.length} listings of ${targets} targets; ${rounds} rounds of each kind\n`)
  console.log(
    '| each listing has | pushes/s | calls | calls/s | loop, sequential | ratio | loop, concurrent | ratio |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|')
  const kinds: Record<string, (listing: BenchListing, at: number) => Promise<unknown>> = {
    'a change of content, one per call': async ({ unitId }, at) =>
      expectStatus(await bench.operator.patch(`/api/v1/units/${unitId}`, { bedrooms: 1 + (at % 9) }), 200),
    'a change of nights, 50 per call': async ({ unitId: unit_id }, at) => {
      const value = { unit_id, date_from: day(10), date_to: day(12), price_cents: 20_000 + at }
      expectStatus(await bench.operator.post('/api/v1/calendar', { values: [value] }), 201)
    },
  }
  const ratios: { sequential: number; concurrent: number }[] = []
  for (const [name, change] of Object.entries(kinds)) {
    const results: Round[] = []
    for (let at = 1; at <= rounds; at++)
      results.push(await round(bench, worker.pid, listings, (listing) => change(listing, at)))
    const pick = (of: (measureRound: Round) => number) => quantile(results.map(of), 0.5)
    const sequentialRatio = pick(({ callsPerSecond, sequential }) => callsPerSecond / sequential)
    const concurrentRatio = pick(({ callsPerSecond, concurrent }) => callsPerSecond / concurrent)
    ratios.push({ sequential: sequentialRatio, concurrent: concurrentRatio })
    const cells = [
      pick(({ pushesPerSecond }) => pushesPerSecond).toFixed(0),
      pick(({ calls }) => calls).toFixed(0),
      pick(({ callsPerSecond }) => callsPerSecond).toFixed(0),
      pick(({ sequential }) => sequential).toFixed(0),
      sequentialRatio.toFixed(2),
      pick(({ concurrent }) => concurrent).toFixed(0),
      concurrentRatio.toFixed(2),
    ]
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  const { sequential, concurrent } = ratios[0]!
  const percent = (ratio: number) => `${(ratio * 100).toFixed(0)} %`
  reportVerdict(
    sequential >= 0.65 && concurrent >= 0.5,
    `at least 65 % of the sequential loop, and 50 % of the concurrent one: ${percent(sequential)} and ${percent(concurrent)}`,
  )
})

interface Round {
  calls: number
  pushesPerSecond: number
  callsPerSecond: number
  /** Calls per second of the loop. */
  sequential: number
  concurrent: number
}

/** Changes every listing while the worker is stopped, and measures from the moment it continues. */
async function round(
  bench: BenchWorld,
  workerPid: number,
  listings: readonly BenchListing[],
  change: (listing: BenchListing) => Promise<unknown>,
): Promise<Round> {
  await fetch(`${bench.pmsUrl}/_control/calls`, { method: 'DELETE' })
  process.kill(workerPid, 'SIGSTOP')
  await pMap(listings, change, { concurrency: 8 })
  await sleep(500)
  const startedAt = Date.now()
  process.kill(workerPid, 'SIGCONT')
  await bench.settled(300)
  const [row] = await bench.query(
    sql<{
      last: string
    }>`select max(finished_at) as last from sync_audit where finished_at is not null`,
  )
  const seconds = (Date.parse(row!.last) - startedAt) / 1_000
  const calls = await readRecordedCalls(bench)
  const sequential = await replayCalls(bench, calls, 1)
  const concurrent = await replayCalls(bench, calls, engineConcurrency)
  return {
    calls: calls.length,
    pushesPerSecond: listings.length / seconds,
    callsPerSecond: calls.length / seconds,
    sequential,
    concurrent,
  }
}

interface RecordedCall {
  method: string
  path: string
  body: unknown
  idempotency_key: string
  traceparent: string
}

async function readRecordedCalls({ pmsUrl }: BenchWorld): Promise<RecordedCall[]> {
  const answer = await fetch(`${pmsUrl}/_control/calls`)
  return ((await answer.json()) as { calls: RecordedCall[] }).calls.filter(({ method }) => method !== 'GET')
}

/** Repeats the same calls over kept connections; returns the calls per second. */
async function replayCalls(
  { pmsUrl }: BenchWorld,
  calls: readonly RecordedCall[],
  concurrency: number,
): Promise<number> {
  const agent = new Agent({ connections: concurrency, pipelining: 1 })
  const suffix = randomUUID()
  const requests = calls.map(({ method, path, body, idempotency_key, traceparent }) => ({
    ...{ origin: pmsUrl, path, method, body: JSON.stringify(body) },
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `${idempotency_key}-${suffix}`,
      traceparent,
    },
  }))
  const one = async (request: (typeof requests)[number]) => {
    const { statusCode, body } = await agent.request(request)
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`)
  }
  const startedAt = performance.now()
  await pMap(requests, one, { concurrency })
  const seconds = (performance.now() - startedAt) / 1_000
  await agent.close()
  return calls.length / seconds
}
