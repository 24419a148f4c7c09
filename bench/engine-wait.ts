// How long does a change wait in the sync engine, without the debounce, while a thousand listings change?
import { setTimeout as sleep } from 'node:timers/promises'
import { addListings, type BenchListing } from './listings.ts'
import { expectStatus } from '../server/test/expect.ts'
import { withBenchWorld, quantile, reportVerdict, type BenchWorld } from './bench-world.ts'
import { recordWaits, waitsBetween } from './waits.ts'

const targets = 20
const listingsEach = 50
/** Each changes five units: 200 listings a second. */
const changesPerSecond = 40
const unitsPerChange = 5
const seconds = 30
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

await withBenchWorld(async (bench) => {
  const listings = await addListings(bench.operator, { targets, listingsEach })
  await bench.startWorker()
  await bench.settled(300)
  await bench.refreshStatistics()
  await recordWaits(bench)
  const { tookMs, answeredMs } = await makeChanges(bench, listings)
  await bench.settled()
  const waits = await waitsBetween(bench, new Date(0))
  console.log(
    `${answeredMs.length} changes of ${unitsPerChange} units in ${(tookMs / 1_000).toFixed(1)} s over ${listings.length} listings` +
      ` of ${targets} targets made ${waits.length} pushes; a change took ${quantile(answeredMs, 0.5).toFixed(0)} ms` +
      ` at the median, ${quantile(answeredMs, 0.99).toFixed(0)} ms at p99\n`,
  )
  console.log('| from the time a push is due | median ms | p90 | p99 | slowest |\n|---|--:|--:|--:|--:|')
  const claimed = waits.map(({ claimed_ms }) => claimed_ms)
  const confirmed = waits.map(({ confirmed_ms }) => confirmed_ms)
  row('until a worker claims it', claimed)
  row('until the PMS has accepted it and the result is saved', confirmed)
  const [median, p99] = [quantile(claimed, 0.5), quantile(claimed, 0.99)]
  reportVerdict(
    median < 100 && p99 < 500,
    `under 100 ms at the median and 500 ms at p99: ${median.toFixed(0)} and ${p99.toFixed(0)} ms`,
  )
})

/** Makes changes at a fixed rate, without waiting for responses. */
async function makeChanges({ operator }: BenchWorld, listings: readonly BenchListing[]) {
  const startedAt = performance.now()
  const answeredMs: number[] = []
  const change = async (n: number) => {
    const begun = performance.now()
    const date = day(1 + (n % 300))
    const values = Array.from({ length: unitsPerChange }, () => ({
      unit_id: listings[Math.floor(Math.random() * listings.length)]!.unitId,
      ...{ date_from: date, date_to: date, price_cents: 10_000 + n },
    }))
    expectStatus(await operator.post('/api/v1/calendar', { values }), 201)
    answeredMs.push(performance.now() - begun)
  }
  const changes: Promise<void>[] = []
  for (let n = 0; n < changesPerSecond * seconds; n++) {
    const aheadMs = startedAt + (n * 1_000) / changesPerSecond - performance.now()
    if (aheadMs > 0) await sleep(aheadMs)
    const one = change(n)
    one.catch(() => {}) // counted at the end
    changes.push(one)
  }
  const results = await Promise.allSettled(changes)
  const failed = results.filter((one) => one.status === 'rejected')
  if (failed.length > 0) console.log(`${failed.length} changes failed: ${String(failed[0]!.reason)}`)
  return { tookMs: performance.now() - startedAt, answeredMs }
}

function row(name: string, values: number[]): void {
  const cells = [0.5, 0.9, 0.99, 1].map((share) => quantile(values, share).toFixed(0))
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
