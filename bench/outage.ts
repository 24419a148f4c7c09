// What does a PMS see that is away for two minutes, when is it right again, and do other targets notice?
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { stock, type Stocked } from './client.ts'
import { inHouse, quantile, verdict, type House } from './house.ts'
import { recordWaits, waitsBetween } from './waits.ts'

const downSeconds = Number(process.env['OUTAGE_SECONDS'] ?? 120)
const quietSeconds = 40
/** For so long after its return the other target goes on changing. */
const catchingUpSeconds = 20
const listingsDown = 100
const listingsHealthy = 20
const changesPerSecond = 4
const mostAttempts = 8
const probeEveryMs = 10_000
const mostSecondsToRight = 90
/** What the same waits may differ in two stretches of one run although nothing is the matter. */
const mostRatio = 1.5

const date = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)

/** What was decided last, by listing. */
type Decided = Map<string, { bedrooms?: number; priceCents?: number }>

await inHouse(async (house) => {
  const away = await stock(house.client, { targets: 1, listingsEach: listingsDown })
  const healthy = await stock(house.client, { targets: 1, listingsEach: listingsHealthy })
  await house.startWorker()
  await house.settled(300)
  await recordWaits(house)
  const decided: Decided = new Map()
  const { targetId } = away[0]!

  const quietFrom = new Date()
  await keepChanging(house, [away, healthy], decided, quietSeconds)
  await house.settled()
  await sleep(5_000)
  const calls = () => callsTo(house, targetId)
  const { last } = await calls()

  const downFrom = new Date()
  await fault(house, 'PUT', { mode: 'down', property: targetId })
  await price(house, away, 30_000, decided)
  await keepChanging(house, [away, healthy], decided, downSeconds)
  await fault(house, 'DELETE')
  const backAt = new Date()
  const [rightSeconds] = await Promise.all([
    untilRight(house, targetId, backAt),
    keepChanging(house, [healthy], decided, catchingUpSeconds),
  ])

  const seen = (await calls()).calls.filter(({ n }) => n > last)
  const during = seen.filter(({ at }) => Date.parse(at) < backAt.getTime())
  const probes = seen.filter(({ path, fault }) => path.endsWith('/health') && fault === 'down')
  const gapsMs = probes.slice(1).map(({ at }, n) => Date.parse(at) - Date.parse(probes[n]!.at))
  const asked = away.map(
    ({ externalId }) => during.filter((call) => call.fault === 'down' && names(call, externalId)).length,
  )
  const attempts = await attemptsSince(house, away, downFrom)
  const wrong = await wrongUnits(house, away, decided)

  console.log(
    `${listingsDown} listings of a target that is down for ${downSeconds} s, ${listingsHealthy} of another; each target has ` +
      `${changesPerSecond} changes a second, of content and nights by turns, and each listing of the first had some\n`,
  )
  console.log('| | found | promised |\n|---|--:|--:|')
  const most = Math.max(...attempts.map(({ tried }) => tried))
  const shortest = Math.min(...gapsMs)
  row('attempts of one listing until it was right, most', most, `≤ ${mostAttempts}`)
  row('calls in vain that named one listing, most', Math.max(...asked), `≤ ${mostAttempts}`)
  row('calls in vain, probes apart', during.filter(({ fault }) => fault).length - probes.length, '')
  row('probes', probes.length, `one in ${probeEveryMs / 1_000} s`)
  row(
    'between two probes, shortest and longest s',
    `${(shortest / 1_000).toFixed(1)} and ${(Math.max(...gapsMs) / 1_000).toFixed(1)}`,
    '',
  )
  row('from its return until all is right, s', rightSeconds.toFixed(1), `≤ ${mostSecondsToRight}`)
  row('listings wrong at the PMS afterwards', wrong, '0')
  const before = await waitsOf(house, healthy, quietFrom, downFrom)
  const meanwhile = await waitsOf(house, healthy, downFrom, backAt)
  const afterwards = await waitsOf(house, healthy, backAt, new Date())
  console.log(
    '\n| waits of the other target, from due until told | pushes | median ms | p90 | p99 |\n|---|--:|--:|--:|--:|',
  )
  for (const [name, waits] of Object.entries({
    before,
    'while the first is away': meanwhile,
    'while it catches up': afterwards,
  }))
    console.log(
      `| ${[name, waits.length, ...[0.5, 0.9, 0.99].map((share) => quantile(waits, share).toFixed(0))].join(' | ')} |`,
    )
  const ratio = quantile(meanwhile, 0.5) / quantile(before, 0.5)
  verdict(
    Math.max(most, ...asked) <= mostAttempts &&
      shortest >= probeEveryMs * 0.99 &&
      rightSeconds <= mostSecondsToRight &&
      wrong === 0 &&
      ratio <= mostRatio,
    `at most ${mostAttempts} attempts, a probe in ${probeEveryMs / 1_000} s, right ${mostSecondsToRight} s after, others undisturbed: ` +
      `${most} attempts, ${(shortest / 1_000).toFixed(1)} s, ${rightSeconds.toFixed(1)} s and ${wrong} wrong, waits × ${ratio.toFixed(2)}`,
  )
})

function row(...cells: (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

/** In each group one listing after the other, until the time is over. */
async function keepChanging(
  house: House,
  groups: readonly (readonly Stocked[])[],
  decided: Decided,
  seconds: number,
): Promise<void> {
  const startedAt = performance.now()
  for (let n = 0; n < seconds * changesPerSecond; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / changesPerSecond - performance.now()))
    for (const listings of groups) {
      const listing = listings[n % listings.length]!
      if ((n + Math.floor(n / listings.length)) % 2 === 0) await price(house, [listing], 10_000 + n, decided)
      else await furnish(house, listing, 1 + (n % 17), decided)
    }
  }
}

async function price({ client }: House, listings: readonly Stocked[], priceCents: number, decided: Decided) {
  const night = { date_from: date, date_to: date, price_cents: priceCents }
  await client.post('/api/v1/calendar', {
    values: listings.map(({ unitId }) => ({ unit_id: unitId, ...night })),
  })
  for (const { listingId } of listings) decided.set(listingId, { ...decided.get(listingId), priceCents })
}

async function furnish(
  { client }: House,
  { unitId, listingId }: Stocked,
  bedrooms: number,
  decided: Decided,
) {
  await client.patch(`/api/v1/units/${unitId}`, { bedrooms })
  decided.set(listingId, { ...decided.get(listingId), bedrooms })
}

/** Seconds from its return until nothing of the target waits, and what is wanted is what it took. */
async function untilRight(house: House, targetId: string, backAt: Date): Promise<number> {
  for (;;) {
    const [row] = await house.query(
      sql<{ open: number }>`select count(*)::int as open from listing_syncs
        where channel_target_id = ${targetId} and (status <> 'completed' or wanted_version <> synced_version)`,
    )
    const seconds = (Date.now() - backAt.getTime()) / 1_000
    if (row!.open === 0 || seconds > 3 * mostSecondsToRight) return seconds
    await sleep(100)
  }
}

/** Pushes of each listing that called the PMS, whatever came of them, as the history tells. */
function attemptsSince(
  { query }: House,
  listings: readonly Stocked[],
  from: Date,
): Promise<{ tried: number }[]> {
  return query(sql<{
    tried: number
  }>`select count(*) filter (where request is not null)::int as tried from sync_audit
    where channel_listing_id = any(${listings.map(({ listingId }) => listingId)}::uuid[])
      and finished_at is not null and started_at >= ${from.toISOString()}
    group by channel_listing_id`)
}

/** The PMS itself is asked what it shows. */
async function wrongUnits(
  { pmsUrl }: House,
  listings: readonly Stocked[],
  decided: Decided,
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
    const { bedrooms, priceCents } = decided.get(listingId)!
    const isFurnished = bedrooms === undefined || bedroomsOf.get(externalId) === bedrooms
    return !isFurnished || pricesOf.get(externalId) !== priceCents
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

async function callsTo({ pmsUrl }: House, targetId: string): Promise<{ calls: Call[]; last: number }> {
  const answer = await fetch(`${pmsUrl}/_control/calls`)
  const { calls, last } = (await answer.json()) as {
    calls: (Call & { property: string | null })[]
    last: number
  }
  return { calls: calls.filter(({ property }) => property === targetId), last }
}

function names({ external_id, external_ids }: Call, externalId: string): boolean {
  return external_id === externalId || (external_ids?.includes(externalId) ?? false)
}

async function fault({ pmsUrl }: House, method: 'PUT' | 'DELETE', body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${pmsUrl}/_control/faults`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

async function waitsOf(house: House, listings: readonly Stocked[], from: Date, to: Date): Promise<number[]> {
  const ours = new Set(listings.map(({ listingId }) => listingId))
  return (await waitsBetween(house, from, to))
    .filter(({ listing }) => ours.has(listing))
    .map(({ told_ms }) => told_ms)
}
