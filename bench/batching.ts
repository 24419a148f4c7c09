// How many calls does Channex get for ten thousand price changes, and does it refuse any?
import { setTimeout as sleep } from 'node:timers/promises'
import type { UnitCalendar } from '../server/src/features/inventory/calendar/tile.ts'
import type { ArrivedCall, ChannexWorld, Property, Room } from '../server/test/channex-live.ts'
import { openChannex, openChannexProperty } from './channex.ts'
import { expectStatus } from '../server/test/expect.ts'
import { withBenchWorld, quantile, reportVerdict, type BenchWorld } from './bench-world.ts'

const properties = 10
const roomsPerProperty = 50
const changes = 10_000
const durationMs = 60_000
const callers = 12
/** The changed nights, from tomorrow: as many as one response of our calendar shows of a property. */
const nights = 400
const maxRangeNights = 30
const maxShare = 0.02

/** A room with the last price of each night, by days from today. */
type Listing = Room & { property: Property; prices: Map<number, number> }

await withBenchWorld(async (bench) => {
  await using channex = await openChannex(bench)
  const benchProperties = await Promise.all(
    Array.from({ length: properties }, () => openChannexProperty(channex, { rooms: roomsPerProperty })),
  )
  await bench.startWorker()
  for (const { goLive } of benchProperties) await goLive()
  await bench.settled(300)
  await sleep(61_000) // Until the calls of the first sync no longer count towards the limits.
  const { last } = (await channex.control('GET', 'calls')).body

  const listings = benchProperties.flatMap((property) =>
    property.rooms.map((room): Listing => ({ ...room, property, prices: new Map() })),
  )
  const { tookMs, answeredMs } = await makeChanges(bench, listings)
  const changedAt = performance.now()
  await bench.settled(300)
  const lagMs = performance.now() - changedAt

  const arrived = (await channex.control('GET', `calls?after=${last}`)).body as {
    calls: ArrivedCall[]
    last: number
  }
  const { calls } = arrived
  if (arrived.last - last !== calls.length) throw new Error('Channex did not record all calls.')
  const countCalls = (kind: string) => calls.filter(({ path }) => path.endsWith(`/${kind}`)).length
  const limited = calls.filter(({ status }) => status === 429).length
  const refused = calls.filter(({ status }) => status !== 200).length - limited
  let wrong = 0
  for (const property of benchProperties)
    wrong += await countWrongNights(
      bench,
      channex,
      property,
      listings.filter((listing) => listing.property === property),
    )
  console.log(
    `${changes} changes of ${listings.length} listings at ${properties} properties by ${callers} callers in ` +
      `${(tookMs / 1_000).toFixed(0)} s, answered in ${quantile(answeredMs, 0.5).toFixed(0)} ms at the median and ` +
      `${quantile(answeredMs, 0.99).toFixed(0)} ms at p99; Channex had everything ${(lagMs / 1_000).toFixed(1)} s after\n`,
  )
  console.log(
    '| calls | of prices | of rooms | share of changes, a minute | 429 | other refusals | nights compared | wrong |',
  )
  console.log('|--:|--:|--:|--:|--:|--:|--:|--:|')
  // Read-backs begin after a time, and the calls of a property are limited by the minute: on a machine that takes longer than the
  // minute for the changes there are more of both, which says nothing of batching.
  const minutes = Math.max(1, tookMs / durationMs)
  const share = (countCalls('restrictions') + countCalls('availability')) / changes / minutes
  const compared = listings.length * nights
  const counts = [limited, refused, compared, wrong]
  const cells = [
    calls.length,
    countCalls('restrictions'),
    countCalls('availability'),
    percent(share),
    ...counts,
  ]
  console.log(`| ${cells.join(' | ')} |`)
  reportVerdict(
    share <= maxShare && limited + refused === 0 && wrong === 0,
    `at most ${percent(maxShare)} as many changing calls as changes, none refused, the final state exact: ` +
      `${percent(share)}, ${limited + refused} refused, ${wrong} nights wrong`,
  )
})

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}

/**
 * Makes changes of single nights and of ranges by turns at a fixed rate. Each caller has its own listings, so that the last
 * value of each night is known.
 */
async function makeChanges({ operator }: BenchWorld, listings: readonly Listing[]) {
  const answeredMs: number[] = []
  const startedAt = performance.now()
  const caller = async (at: number) => {
    const own = listings.filter((_, n) => n % callers === at)
    for (let n = at; n < changes; n += callers) {
      await sleep(Math.max(0, startedAt + (n / changes) * durationMs - performance.now()))
      const { unitId, property, prices } = own[Math.floor(Math.random() * own.length)]!
      const first = 1 + Math.floor(Math.random() * nights)
      const last = n % 2 === 0 ? first : Math.min(nights, first + Math.floor(Math.random() * maxRangeNights))
      const price_cents = 10_000 + n
      const value = {
        unit_id: unitId,
        date_from: property.day(first),
        date_to: property.day(last),
        price_cents,
      }
      const sentAt = performance.now()
      expectStatus(await operator.post('/api/v1/calendar', { values: [value] }), 201)
      answeredMs.push(performance.now() - sentAt)
      for (let night = first; night <= last; night++) prices.set(night, price_cents)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
  return { tookMs: performance.now() - startedAt, answeredMs }
}

/** Counts the nights where the prices at Channex, in our calendar and of the last change differ. */
async function countWrongNights(
  { operator }: BenchWorld,
  { api }: ChannexWorld,
  { propertyId, spaceId, day }: Property,
  listings: readonly Listing[],
): Promise<number> {
  const [from, to] = [day(1), day(nights)]
  const filter = `filter[property_id]=${propertyId}&filter[date][gte]=${from}&filter[date][lte]=${to}`
  const { data: shown } = (await api('GET', `/restrictions?${filter}&filter[restrictions]=rate`)).body
  const path = `/api/v1/calendar?space_id=${spaceId}&from=${from}&to=${to}`
  const { calendar } = expectStatus(await operator.get(path), 200)
  const tiles = new Map((calendar as UnitCalendar[]).map((tile) => [tile.unit_id, tile]))
  const dates = Array.from({ length: nights }, (_, at) => day(1 + at))
  let wrong = 0
  for (const { unitId, plans, prices } of listings) {
    const atChannex = shown[plans[0]!.externalId]
    const ranges = tiles.get(unitId)!.plans[0]!.days
    for (const [at, date] of dates.entries()) {
      const inCalendar = ranges.find(
        ({ date_from, date_to }) => date_from <= date && date <= date_to,
      )?.price_cents
      const atPms = Math.round(Number(atChannex[date].rate) * 100)
      if (atPms !== inCalendar || atPms !== (prices.get(1 + at) ?? inCalendar)) wrong++
    }
  }
  return wrong
}
