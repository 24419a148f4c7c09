// How many calls does a PMS get during an outage of two minutes, when is it up to date, and are other targets affected?
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import { addListings, type BenchListing } from './listings.ts'
import { expectStatus } from '../server/test/expect.ts'
import { withBenchWorld, quantile, reportVerdict, type BenchWorld } from './bench-world.ts'
import { recordWaits, waitsBetween } from './waits.ts'

const downSeconds = Number(process.env['OUTAGE_SECONDS'] ?? 120)
const quietSeconds = 40
/** How long changes of the other target continue after the outage. */
const catchingUpSeconds = 20
const listingsDown = 100
const listingsHealthy = 20
const changesPerSecond = 4
const maxAttempts = 8
const probeIntervalMs = 10_000
const maxSecondsToRight = 90
/** The waits of two periods may differ by this factor without a cause. */
const maxRatio = 1.5

const date = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)

/** The last values, by listing. */
type LastValues = Map<string, { bedrooms?: number; priceCents?: number }>

await withBenchWorld(async (bench) => {
  const affected = await addListings(bench.operator, { targets: 1, listingsEach: listingsDown })
  const healthy = await addListings(bench.operator, { targets: 1, listingsEach: listingsHealthy })
  await bench.startWorker()
  await bench.settled(300)
  await recordWaits(bench)
  const lastValues: LastValues = new Map()
  const { targetId } = affected[0]!

  const quietFrom = new Date()
  await makeChanges(bench, [affected, healthy], lastValues, quietSeconds)
  await bench.settled()
  await sleep(5_000)
  const calls = () => callsTo(bench, targetId)
  const { last } = await calls()

  const downFrom = new Date()
  await fault(bench, 'PUT', { mode: 'down', property: targetId })
  await changePrices(bench, affected, 30_000, lastValues)
  await makeChanges(bench, [affected, healthy], lastValues, downSeconds)
  await fault(bench, 'DELETE')
  const backAt = new Date()
  const [rightSeconds] = await Promise.all([
    waitUntilRight(bench, targetId, backAt),
    makeChanges(bench, [healthy], lastValues, catchingUpSeconds),
  ])

  const arrived = (await calls()).calls.filter(({ n }) => n > last)
  const during = arrived.filter(({ at }) => Date.parse(at) < backAt.getTime())
  const probes = arrived.filter(({ path, fault }) => path.endsWith('/health') && fault === 'down')
  const gapsMs = probes.slice(1).map(({ at }, n) => Date.parse(at) - Date.parse(probes[n]!.at))
  const failedCalls = affected.map(
    ({ externalId }) => during.filter((call) => call.fault === 'down' && names(call, externalId)).length,
  )
  const attempts = await attemptsSince(bench, affected, downFrom)
  const wrong = await wrongUnits(bench, affected, lastValues)

  console.log(
    `${listingsDown} listings of a target that is down for ${downSeconds} s, ${listingsHealthy} of another; each target has ` +
      `${changesPerSecond} changes a second, of content and nights by turns\n`,
  )
  console.log('| | result | limit |\n|---|--:|--:|')
  const maxTried = Math.max(...attempts.map(({ tried }) => tried))
  const shortest = Math.min(...gapsMs)
  printRow('max attempts of one listing', maxTried, `≤ ${maxAttempts}`)
  printRow('max failed calls for one listing', Math.max(...failedCalls), `≤ ${maxAttempts}`)
  printRow('failed calls without probes', during.filter(({ fault }) => fault).length - probes.length, '')
  printRow('probes', probes.length, `one every ${probeIntervalMs / 1_000} s`)
  printRow(
    'min and max time between probes, s',
    `${(shortest / 1_000).toFixed(1)} and ${(Math.max(...gapsMs) / 1_000).toFixed(1)}`,
    '',
  )
  printRow('time until up to date, s', rightSeconds.toFixed(1), `≤ ${maxSecondsToRight}`)
  printRow('wrong listings at the PMS', wrong, '0')
  const before = await pushWaits(bench, healthy, quietFrom, downFrom)
  const meanwhile = await pushWaits(bench, healthy, downFrom, backAt)
  const afterwards = await pushWaits(bench, healthy, backAt, new Date())
  console.log(
    '\n| waits of the other target, from due until confirmed | pushes | median ms | p90 | p99 |\n|---|--:|--:|--:|--:|',
  )
  for (const [name, waits] of Object.entries({
    before,
    'during the outage': meanwhile,
    'after the outage': afterwards,
  }))
    console.log(
      `| ${[name, waits.length, ...[0.5, 0.9, 0.99].map((share) => quantile(waits, share).toFixed(0))].join(' | ')} |`,
    )
  const ratio = quantile(meanwhile, 0.5) / quantile(before, 0.5)
  reportVerdict(
    Math.max(maxTried, ...failedCalls) <= maxAttempts &&
      shortest >= probeIntervalMs * 0.99 &&
      rightSeconds <= maxSecondsToRight &&
      wrong === 0 &&
      ratio <= maxRatio,
    `at most ${maxAttempts} attempts, a probe every ${probeIntervalMs / 1_000} s, up to date within ${maxSecondsToRight} s, other targets not affected: ` +
      `${maxTried} attempts, ${(shortest / 1_000).toFixed(1)} s, ${rightSeconds.toFixed(1)} s and ${wrong} wrong, waits × ${ratio.toFixed(2)}`,
  )
})

function printRow(...cells: (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

/** Changes one listing of each group after the other. */
async function makeChanges(
  bench: BenchWorld,
  groups: readonly (readonly BenchListing[])[],
  lastValues: LastValues,
  seconds: number,
): Promise<void> {
  const startedAt = performance.now()
  for (let n = 0; n < seconds * changesPerSecond; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / changesPerSecond - performance.now()))
    for (const listings of groups) {
      const listing = listings[n % listings.length]!
      if ((n + Math.floor(n / listings.length)) % 2 === 0)
        await changePrices(bench, [listing], 10_000 + n, lastValues)
      else await changeBedrooms(bench, listing, 1 + (n % 17), lastValues)
    }
  }
}

async function changePrices(
  { operator }: BenchWorld,
  listings: readonly BenchListing[],
  priceCents: number,
  lastValues: LastValues,
) {
  const night = { date_from: date, date_to: date, price_cents: priceCents }
  const values = listings.map(({ unitId }) => ({ unit_id: unitId, ...night }))
  expectStatus(await operator.post('/api/v1/calendar', { values }), 201)
  for (const { listingId } of listings)
    lastValues.set(listingId, { ...lastValues.get(listingId), priceCents })
}

async function changeBedrooms(
  { operator }: BenchWorld,
  { unitId, listingId }: BenchListing,
  bedrooms: number,
  lastValues: LastValues,
) {
  expectStatus(await operator.patch(`/api/v1/units/${unitId}`, { bedrooms }), 200)
  lastValues.set(listingId, { ...lastValues.get(listingId), bedrooms })
}

/** Waits until all listings of the target are in sync; returns the seconds since the end of the outage. */
async function waitUntilRight(bench: BenchWorld, targetId: string, backAt: Date): Promise<number> {
  for (;;) {
    const [row] = await bench.query(
      sql<{ open: number }>`select count(*)::int as open from listing_syncs
        where channel_target_id = ${targetId} and (status <> 'completed' or wanted_version <> synced_version)`,
    )
    const seconds = (Date.now() - backAt.getTime()) / 1_000
    if (row!.open === 0 || seconds > 3 * maxSecondsToRight) return seconds
    await sleep(100)
  }
}

/** Counts the pushes of each listing that called the PMS. */
function attemptsSince(
  { query }: BenchWorld,
  listings: readonly BenchListing[],
  from: Date,
): Promise<{ tried: number }[]> {
  return query(sql<{
    tried: number
  }>`select count(*) filter (where request is not null)::int as tried from sync_audit
    where channel_listing_id = any(${listings.map(({ listingId }) => listingId)}::uuid[])
      and finished_at is not null and started_at >= ${from.toISOString()}
    group by channel_listing_id`)
}

/** Compares the values at the PMS with the last values. */
async function wrongUnits(
  { pmsUrl }: BenchWorld,
  listings: readonly BenchListing[],
  lastValues: LastValues,
): Promise<number> {
  const read = async (path: string) =>
    (await fetch(`${pmsUrl}/properties/${listings[0]!.targetId}${path}`)).json()
  const { units } = (await read('/units')) as { units: { external_id: string; bedrooms: number }[] }
  const shown = (await read(`/calendar?from=${date}&to=${date}`)) as {
    units: { external_id: string; rates: { price_cents: number }[] }[]
  }
  const bedroomsOf = new Map(units.map(({ external_id, bedrooms }) => [external_id, bedrooms]))
  const pricesOf = new Map(shown.units.map(({ external_id, rates }) => [external_id, rates[0]?.price_cents]))
  return listings.filter(({ listingId, externalId }) => {
    const { bedrooms, priceCents } = lastValues.get(listingId)!
    const hasBedrooms = bedrooms === undefined || bedroomsOf.get(externalId) === bedrooms
    return !hasBedrooms || pricesOf.get(externalId) !== priceCents
  }).length
}

interface Call {
  n: number
  at: string
  path: string
  external_id: string | null
  external_ids?: string[]
  fault: string | null
}

async function callsTo({ pmsUrl }: BenchWorld, targetId: string): Promise<{ calls: Call[]; last: number }> {
  const response = await fetch(`${pmsUrl}/_control/calls`)
  const { calls, last } = (await response.json()) as {
    calls: (Call & { property: string | null })[]
    last: number
  }
  return { calls: calls.filter(({ property }) => property === targetId), last }
}

function names({ external_id, external_ids }: Call, externalId: string): boolean {
  return external_id === externalId || (external_ids?.includes(externalId) ?? false)
}

async function fault({ pmsUrl }: BenchWorld, method: 'PUT' | 'DELETE', body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${pmsUrl}/_control/faults`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
}

async function pushWaits(
  bench: BenchWorld,
  listings: readonly BenchListing[],
  from: Date,
  to: Date,
): Promise<number[]> {
  const selected = new Set(listings.map(({ listingId }) => listingId))
  return (await waitsBetween(bench, from, to))
    .filter(({ listing }) => selected.has(listing))
    .map(({ confirmed_ms }) => confirmed_ms)
}
