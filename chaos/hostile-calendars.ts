// Does a worker stay below 400 MB with 38 hostile calendars, and does an emptied calendar free no night?
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import { calendarOf, openCalendarServer } from '../server/test/calendars.ts'
import { inDays } from '../server/test/local-days.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { until } from './kills.ts'
import { memoryOf } from './managed-process.ts'
import { runScenario } from './scenario.ts'
import { post } from './fixtures.ts'

const maxMegabytes = 400

/** Large, deeply nested or endless calendars, each at its limit. */
const hostile = [
  calendarOf(...Array.from({ length: 25_000 }, (_, n) => [inDays(n % 700), inDays((n % 700) + 1)] as const)),
  `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\n'.repeat(150_000)}${'END:VEVENT\r\n'.repeat(150_000)}END:VCALENDAR`,
  calendarOf([inDays(5), inDays(6)]).replace('SUMMARY', 'RRULE:FREQ=SECONDLY;BYHOUR=3;BYMINUTE=3\r\nSUMMARY'),
  calendarOf([inDays(5), inDays(6)]).replace('(Ada Lovelace)', 'x'.repeat(4_900_000)),
].map((text) => text.slice(0, 5 * 1_048_576))

async function addUnit(cluster: Cluster): Promise<string> {
  const { space } = await post(cluster, 'spaces', { name: 'Calendars', timezone: 'Europe/Lisbon' })
  const unit = { space_id: space.id, name: 'Calendars', quantity: 1, base_price_cents: 10_000 }
  return (await post(cluster, 'units', unit)).unit.id as string
}

async function addFeed(cluster: Cluster, unit_id: string, url: string): Promise<string> {
  const feed = { unit_id, url, direction: 'import', name: 'Elsewhere' }
  return (await post(cluster, 'calendar-feeds', feed)).calendar_feed.id as string
}

/** Disables and enables the feed, and waits until it is fetched. */
async function fetchAgain(cluster: Cluster, id: string): Promise<void> {
  const path = `/api/v1/calendar-feeds/${id}`
  const client = cluster.clients[0]!
  const fetchedAt = async () => {
    const response = await client.attempt({ method: 'GET', path })
    return response.kind === 'answered' ? (response.body.calendar_feed.last_fetched_at as string) : ''
  }
  const before = await fetchedAt()
  for (const status of ['inactive', 'active'])
    await client.attempt({ method: 'PATCH', path, body: { status } })
  await until('the calendar is fetched again', async () => ![before, ''].includes(await fetchedAt()), 300)
}

const count = async (cluster: Cluster, statement: ReturnType<typeof sql<{ n: number }>>): Promise<number> =>
  (await cluster.query(statement))[0]!.n

/** Counts the calendars that were read or rejected. */
const countReadFeeds = (cluster: Cluster) =>
  count(
    cluster,
    sql`
      select count(*)::int as n
      from calendar_feeds
      where last_fetched_at is not null or error_message is not null`,
  )

const countBlocked = (cluster: Cluster, unitId: string) =>
  count(
    cluster,
    sql`select coalesce(sum(blocked), 0)::int as n
        from nights_taken(${cluster.organization.id}, array[${unitId}]::uuid[], current_date, current_date + 100)`,
  )

async function watchMemory(cluster: Cluster, over: AbortSignal): Promise<number> {
  let highest = 0
  while (!over.aborted) {
    highest = Math.max(highest, memoryOf(cluster.workers[0]!.pid()))
    await sleep(100)
  }
  return highest
}

await runScenario(import.meta, { loops: 38, short: 38 }, async (context) => {
  await using cluster = await openCluster({ apis: 1, workers: 1, env: { MAX_CALENDAR_FEEDS: '100' } })
  const calendars = await openCalendarServer()
  cluster.resources.defer(() => calendars.close())
  const unitId = await addUnit(cluster)
  const stays = Array.from({ length: 12 }, (_, n) => [inDays(5 + 3 * n), inDays(7 + 3 * n)] as const)
  const soldUnitId = await addUnit(cluster)
  const stay = { unitId: soldUnitId, checkIn: inDays(20), checkOut: inDays(23) }
  await post(cluster, 'bookings', { ...stay, guestName: 'Ada Lovelace', totalCents: 10_000 })

  const emptied = await addFeed(cluster, unitId, calendars.serve('/emptied.ics', calendarOf(...stays)))
  const overlapping = calendars.serve('/overlapping.ics', calendarOf([inDays(22), inDays(25)]))
  await addFeed(cluster, soldUnitId, overlapping)
  await until('the valid calendars are read', async () => (await countReadFeeds(cluster)) === 2)
  const blockedBefore = await countBlocked(cluster, unitId)
  const megabytesBefore = memoryOf(cluster.workers[0]!.pid())

  const stopWatching = new AbortController()
  const highest = watchMemory(cluster, stopWatching.signal)
  const hostileUnitId = await addUnit(cluster)
  for (let n = 0; n < context.loops; n++)
    await addFeed(cluster, hostileUnitId, calendars.serve(`/hostile-${n}.ics`, hostile[n % hostile.length]!))
  calendars.serve('/emptied.ics', calendarOf())
  await fetchAgain(cluster, emptied)
  await until(
    'all calendars are read',
    async () => (await countReadFeeds(cluster)) === context.loops + 2,
    300,
  )
  const complete = calendarOf(...stays)
  const truncated = complete.slice(0, complete.indexOf('END:VEVENT', complete.length / 4) + 10)
  calendars.serve('/emptied.ics', `${truncated}\r\nEND:VCALENDAR\r\n`)
  await fetchAgain(cluster, emptied)
  stopWatching.abort()

  const megabytes = Math.round(await highest)
  context.verdict(`the worker stays below ${maxMegabytes} MB`, megabytes < maxMegabytes, `${megabytes} MB`)
  context.metric('MB before', Math.round(megabytesBefore))
  const blocked = await countBlocked(cluster, unitId)
  context.verdict(
    'an empty and then truncated calendar frees no night',
    blocked === blockedBefore && blockedBefore === 24,
    `${blocked} of ${blockedBefore} nights are blocked`,
  )
  const conflicts = await count(
    cluster,
    sql`select count(*)::int as n from booking_conflicts where unit_id = ${soldUnitId} and status = 'open'`,
  )
  context.verdict('a reservation for sold nights is a conflict', conflicts === 1, `${conflicts} open`)
  context.verdict(
    'the worker is running',
    cluster.workers[0]!.isRunning(),
    cluster.workers[0]!.logTail().slice(-200),
  )
})
