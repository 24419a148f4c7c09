// How long does a change wait in the engine, debounce aside, while a thousand listings are busy?
import { setTimeout as sleep } from 'node:timers/promises'
import { stock, type Stocked } from './client.ts'
import { inHouse, quantile, verdict, type House } from './house.ts'
import { recordWaits, waitsBetween } from './waits.ts'

const targets = 20
const listingsEach = 50
/** Each of so many units, anywhere: 200 listings a second. */
const changesPerSecond = 40
const unitsEach = 5
const seconds = 30
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

await inHouse(async (house) => {
  const listings = await stock(house.client, { targets, listingsEach })
  await house.startWorker()
  await house.settled(300)
  await house.settleIn()
  await recordWaits(house)
  const { tookMs, answeredMs } = await keepBusy(house, listings)
  await house.settled()
  const waits = await waitsBetween(house, new Date(0))
  console.log(
    `${answeredMs.length} changes of ${unitsEach} units in ${(tookMs / 1_000).toFixed(1)} s over ${listings.length} listings` +
      ` of ${targets} targets made ${waits.length} pushes; a change was answered in ${quantile(answeredMs, 0.5).toFixed(0)} ms` +
      ` at the median, ${quantile(answeredMs, 0.99).toFixed(0)} ms at p99\n`,
  )
  console.log('| from the time a push is due | median ms | p90 | p99 | slowest |\n|---|--:|--:|--:|--:|')
  const claimed = waits.map(({ claimed_ms }) => claimed_ms)
  const told = waits.map(({ told_ms }) => told_ms)
  row('until a worker takes it', claimed)
  row('until the PMS has it and that is written', told)
  const [median, p99] = [quantile(claimed, 0.5), quantile(claimed, 0.99)]
  verdict(
    median < 100 && p99 < 500,
    `under 100 ms at the median and 500 ms at p99: ${median.toFixed(0)} and ${p99.toFixed(0)} ms`,
  )
})

/** Changes at a fixed pace, whether or not those before have been answered. */
async function keepBusy({ client }: House, listings: readonly Stocked[]) {
  const startedAt = performance.now()
  const answeredMs: number[] = []
  const change = async (n: number) => {
    const begun = performance.now()
    const date = day(1 + (n % 300))
    const values = Array.from({ length: unitsEach }, () => ({
      unit_id: listings[Math.floor(Math.random() * listings.length)]!.unitId,
      ...{ date_from: date, date_to: date, price_cents: 10_000 + n },
    }))
    await client.post('/api/v1/calendar', { values })
    answeredMs.push(performance.now() - begun)
  }
  const changes: Promise<void>[] = []
  for (let n = 0; n < changesPerSecond * seconds; n++) {
    const aheadMs = startedAt + (n * 1_000) / changesPerSecond - performance.now()
    if (aheadMs > 0) await sleep(aheadMs)
    const one = change(n)
    one.catch(() => {}) // told at the end
    changes.push(one)
  }
  const settled = await Promise.allSettled(changes)
  const lost = settled.filter((one) => one.status === 'rejected')
  if (lost.length > 0) console.log(`${lost.length} changes were refused: ${String(lost[0]!.reason)}`)
  return { tookMs: performance.now() - startedAt, answeredMs }
}

function row(name: string, values: number[]): void {
  const cells = [0.5, 0.9, 0.99, 1].map((share) => quantile(values, share).toFixed(0))
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
