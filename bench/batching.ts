// How many calls does it take until Channex has ten thousand price changes, and does it ever refuse one?
import { setTimeout as sleep } from 'node:timers/promises'
import type { UnitCalendar } from '../server/src/features/calendar/tile.ts'
import type { ArrivedCall, ChannexWorld, Property, Room } from '../server/test/channex-live.ts'
import { openChannex, openChannexProperty } from './channex.ts'
import { inHouse, quantile, verdict, type House } from './house.ts'

const properties = 10
const roomsEach = 50
const changes = 10_000
const overMs = 60_000
const callers = 12
/** What is changed lies in so many nights from tomorrow on: what one tile of our calendar shows of a property. */
const nights = 400
const longestRange = 30
const mostShare = 0.02

/** A room with the prices that were decided, by night from today. */
type Listing = Room & { property: Property; prices: Map<number, number> }

await inHouse(async (house) => {
  await using channex = await openChannex(house)
  const houses = await Promise.all(
    Array.from({ length: properties }, () => openChannexProperty(channex, { rooms: roomsEach })),
  )
  await house.startWorker()
  for (const { goLive } of houses) await goLive()
  await house.settled(300)
  await sleep(61_000) // What the first sync spent of the limits is no part of the question.
  const { last } = (await channex.door('GET', 'calls')).body

  const listings = houses.flatMap((property) =>
    property.rooms.map((room): Listing => ({ ...room, property, prices: new Map() })),
  )
  const { tookMs, answeredMs } = await changeMuch(house, listings)
  const toldAt = performance.now()
  await house.settled(300)
  const lagMs = performance.now() - toldAt

  const arrived = (await channex.door('GET', `calls?after=${last}`)).body as {
    calls: ArrivedCall[]
    last: number
  }
  const { calls } = arrived
  if (arrived.last - last !== calls.length) throw new Error('Channex has forgotten some of the calls.')
  const about = (kind: string) => calls.filter(({ path }) => path.endsWith(`/${kind}`)).length
  const limited = calls.filter(({ status }) => status === 429).length
  const refused = calls.filter(({ status }) => status !== 200).length - limited
  let wrong = 0
  for (const property of houses)
    wrong += await wrongNights(
      house,
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
    '| calls | of prices | of rooms | of the changes | 429 | other refusals | nights compared | wrong |',
  )
  console.log('|--:|--:|--:|--:|--:|--:|--:|--:|')
  const share = calls.length / changes
  const compared = listings.length * nights
  const counts = [limited, refused, compared, wrong]
  const cells = [calls.length, about('restrictions'), about('availability'), percent(share), ...counts]
  console.log(`| ${cells.join(' | ')} |`)
  verdict(
    share <= mostShare && limited + refused === 0 && wrong === 0,
    `at most ${percent(mostShare)} as many calls as changes, none refused, the final state exact: ` +
      `${percent(share)}, ${limited + refused} refused, ${wrong} nights wrong`,
  )
})

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}

/**
 * Half are single nights, half ranges. Each caller has listings of its own, so that what is decided last is known
 * without asking, and keeps a pace by which all are done in time, if each is answered fast enough.
 */
async function changeMuch({ client }: House, listings: readonly Listing[]) {
  const answeredMs: number[] = []
  const startedAt = performance.now()
  const caller = async (at: number) => {
    const own = listings.filter((_, n) => n % callers === at)
    for (let n = at; n < changes; n += callers) {
      await sleep(Math.max(0, startedAt + (n / changes) * overMs - performance.now()))
      const { unitId, property, prices } = own[Math.floor(Math.random() * own.length)]!
      const first = 1 + Math.floor(Math.random() * nights)
      const last = n % 2 === 0 ? first : Math.min(nights, first + Math.floor(Math.random() * longestRange))
      const price_cents = 10_000 + n
      const value = {
        unit_id: unitId,
        date_from: property.day(first),
        date_to: property.day(last),
        price_cents,
      }
      const askedAt = performance.now()
      await client.post('/api/v1/calendar', { values: [value] })
      answeredMs.push(performance.now() - askedAt)
      for (let night = first; night <= last; night++) prices.set(night, price_cents)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
  return { tookMs: performance.now() - startedAt, answeredMs }
}

/** Nights of a property at which Channex, our calendar and what was decided are not all of one price. */
async function wrongNights(
  { client }: House,
  { api }: ChannexWorld,
  { property, spaceId, day }: Property,
  listings: readonly Listing[],
): Promise<number> {
  const [from, to] = [day(1), day(nights)]
  const stretch = `filter[property_id]=${property}&filter[date][gte]=${from}&filter[date][lte]=${to}`
  const { data: shown } = (await api('GET', `/restrictions?${stretch}&filter[restrictions]=rate`)).body
  const { calendar } = await client.get(`/api/v1/calendar?space_id=${spaceId}&from=${from}&to=${to}`)
  const tiles = new Map((calendar as UnitCalendar[]).map((tile) => [tile.unit_id, tile]))
  const dates = Array.from({ length: nights }, (_, at) => day(1 + at))
  let wrong = 0
  for (const { unitId, plans, prices } of listings) {
    const theirs = shown[plans[0]!.externalId]
    const ranges = tiles.get(unitId)!.plans[0]!.days
    for (const [at, date] of dates.entries()) {
      const ours = ranges.find(({ date_from, date_to }) => date_from <= date && date <= date_to)?.price_cents
      const atPms = Math.round(Number(theirs[date].rate) * 100)
      if (atPms !== ours || atPms !== (prices.get(1 + at) ?? ours)) wrong++
    }
  }
  return wrong
}
