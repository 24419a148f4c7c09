// bookings: are exactly the rooms of a night sold, and how fast are bookings compared with the same transaction by a bare service?
import { sql } from '../server/src/db/sql.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { callerFor, type Reply } from '../server/test/caller.ts'
import { addSpace, addUnit } from '../server/test/records.ts'
import { startNodeProcess } from '../server/test/node-process.ts'
import { withBenchWorld, quantile, startApi, reportVerdict, type BenchWorld } from './bench-world.ts'

const internalToken = 'bench-token'
const path = '/api/v1/bookings'
let postponed = 0
const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)

await withBenchWorld(async (bench) => {
  const processes = await Promise.all([1, 2].map(() => startApi(bench, internalToken)))
  try {
    const { token } = bench.operator
    const urls = processes.map(({ facts }) => facts.url!)
    const apis = urls.map((url) => callerFor(url, token, { 'x-internal-token': internalToken }))
    // A request that waits two seconds for a connection, because others hold all of them and wait for the lock of the unit,
    // gets 503. That happens when a round takes longer, and is no answer.
    const book: Book = async (at, unitId, from, to) => {
      for (;;) {
        const reply = await apis[at % 2]!.post(path, bookingOf(at, unitId, from, to))
        if (reply.status !== 503) return reply
        postponed++
        await sleep(Number(reply.headers.get('retry-after')) * 1_000)
      }
    }
    await sameNight(bench, book)
    await shiftedRanges(bench, book)
    console.log(`${postponed} requests were answered 503 and sent again`)
    await throughput(bench, urls, { authorization: `Bearer ${token}`, 'x-internal-token': internalToken })
  } finally {
    for (const api of processes) await api.kill('SIGTERM')
  }
})

function bookingOf(at: number, unitId: string, from: number, to: number) {
  return {
    unitId,
    guestName: `Guest ${at}`,
    checkIn: day(from),
    checkOut: day(to),
    totalCents: 10_000,
  }
}

type Book = (at: number, unitId: string, from: number, to: number) => Promise<Reply>

function countByStatus(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status === 201 ? '201' : `${status} ${body?.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** 200 requests for one night of 20 rooms, to two API processes. */
async function sameNight({ operator }: BenchWorld, book: Book) {
  let exact = 0
  const seconds: number[] = []
  const all: Reply[] = []
  for (let round = 0; round < 20; round++) {
    const { id } = await addUnit(operator, { quantity: 20 })
    const begun = performance.now()
    const replies = await Promise.all(Array.from({ length: 200 }, (_, at) => book(at, id, 5, 6)))
    seconds.push((performance.now() - begun) / 1_000)
    all.push(...replies)
    const { 201: made, '409 booking-conflict': refused } = countByStatus(replies)
    if (made === 20 && refused === 180) exact++
  }
  const median = seconds.toSorted((a, b) => a - b)[10]!
  console.log(
    `200 attempts on one night, 20 rounds: ${JSON.stringify(countByStatus(all))}, median round ${median.toFixed(2)} s`,
  )
  reportVerdict(exact === 20, `exactly 20 of 200 succeed in ${exact} of 20 rounds, the others are 409`)
}

/** Overlapping stays of one room. */
async function shiftedRanges({ operator, query }: BenchWorld, book: Book) {
  const { id } = await addUnit(operator, { quantity: 1 })
  const replies = await Promise.all(
    Array.from({ length: 400 }, (_, at) => book(at, id, (at * 37) % 90, ((at * 37) % 90) + 2 + (at % 6))),
  )
  const [row] = await query(
    sql<{ overlaps: number }>`select count(*)::int as overlaps
      from bookings one
      join bookings other on other.unit_id = one.unit_id and other.id > one.id and other.nights && one.nights
      where one.unit_id = ${id}`,
  )
  const counts = countByStatus(replies)
  console.log(`400 shifted stays of one room: ${JSON.stringify(counts)}, overlaps ${row!.overlaps}`)
  const isExpected = Object.keys(counts).every((name) => name === '201' || name === '409 booking-conflict')
  reportVerdict(row!.overlaps === 0 && isExpected, 'no overlap, no response but 201 and 409')
}

/** Compares bookings of distinct units by 16 callers with the same statements by two bare Fastify + pg. */
async function throughput(
  { operator, owner, world }: BenchWorld,
  urls: readonly string[],
  credentials: Record<string, string>,
) {
  await using parts = new AsyncDisposableStack()
  const space = await addSpace(operator)
  const units: string[] = []
  for (let number = 0; number < 64; number++)
    units.push((await addUnit(operator, { space_id: space.id, quantity: 10_000 })).id)
  const orgId = world.home.id
  const env = { DATABASE_URL: world.databaseUrl, ORG_ID: orgId }
  const startBare = async () => parts.use(await startNodeProcess({ file: 'bench/bare-service.ts', env }))
  const rivals = await Promise.all([startBare(), startBare()])
  let n = 0
  // undici's pool is the client with the least overhead on the shared processors.
  const booker = (servers: readonly string[], route: string, headers: Record<string, string>) => {
    const pools = servers.map((url) =>
      parts.adopt(new Pool(url, { connections: 16 }), (one) => one.destroy()),
    )
    return async () => {
      const at = n++
      const reply = await pools[at % 2]!.request({
        ...{ path: route, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
        body: JSON.stringify(bookingOf(at, units[at % units.length]!, at % 300, (at % 300) + 2)),
      })
      const text = await reply.body.text()
      if (reply.statusCode > 201) throw new Error(text)
    }
  }
  const bareUrls = rivals.map(({ facts }) => facts.url!)
  const variants: Record<string, () => Promise<unknown>> = {
    bare: booker(bareUrls, '/guarded-bookings', {}),
    product: booker(urls, path, credentials),
  }
  const rates: Record<string, number[]> = { bare: [], product: [] }
  for (let round = 0; round < 20; round++) {
    // Without analyze, PostgreSQL would keep the plans for empty tables.
    // The first eight rounds are not counted, because Node still compiles the code.
    if (round === 2) await owner.transaction({ orgId }, ({ raw }) => raw('analyze'))
    for (const [name, call] of Object.entries(variants)) {
      const perSecond = await measureRate(call)
      if (round > 7) rates[name]!.push(perSecond)
    }
  }
  const [bareRate, productRate] = [quantile(rates['bare']!, 0.5), quantile(rates['product']!, 0.5)]
  console.log(`bare Fastify + pg ${Math.round(bareRate)}/s, product ${Math.round(productRate)}/s`)
  const ratio = productRate / bareRate
  reportVerdict(
    ratio >= 0.6,
    `throughput on distinct units is ${ratio.toFixed(2)} of the bare one, minimum 0.60`,
  )
}

async function measureRate(call: () => Promise<unknown>, ms = 1_000): Promise<number> {
  let calls = 0
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() - begun < ms) {
        await call()
        calls++
      }
    }),
  )
  return calls / ((performance.now() - begun) / 1_000)
}
