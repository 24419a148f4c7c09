// bookings: are exactly the rooms of a night sold, and how fast are bookings compared with the same transaction by pg?
import { sql } from 'kysely'
import pg from 'pg'
import { Pool } from 'undici'
import { callerFor, type Reply } from '../server/test/caller.ts'
import { addSpace, addUnit } from '../server/test/records.ts'
import { withBenchWorld, loadAverage, startApi, reportVerdict, type BenchWorld } from './bench-world.ts'

const internalToken = 'bench-token'
const path = '/api/v1/bookings'
const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)

await withBenchWorld(async (bench) => {
  const processes = await Promise.all([1, 2].map(() => startApi(bench, internalToken)))
  try {
    const { token } = bench.operator
    const urls = processes.map(({ facts }) => facts.url!)
    const apis = urls.map((url) => callerFor(url, token, { 'x-internal-token': internalToken }))
    const book = (at: number, unitId: string, from: number, to: number) =>
      apis[at % 2]!.post(path, bookingOf(at, unitId, from, to))
    await sameNight(bench, book)
    await shiftedRanges(bench, book)
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

/** Compares bookings of distinct units by 16 callers with the same statements by pg. */
async function throughput(
  { operator, owner, world }: BenchWorld,
  urls: readonly string[],
  credentials: Record<string, string>,
) {
  const space = await addSpace(operator)
  const units: { id: string; account_id: string }[] = []
  for (let number = 0; number < 64; number++)
    units.push(await addUnit(operator, { space_id: space.id, quantity: 10_000 }))
  // undici's pool is the client with the least overhead on the shared processors.
  const pools = urls.map((url) => new Pool(url, { connections: 16 }))
  const headers = { ...credentials, 'content-type': 'application/json' }
  const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 20, options: '-c role=vacancy_app' })
  const orgId = world.home.id
  let n = 0
  const variants: Record<string, () => Promise<unknown>> = {
    pg: () => bookWithPg(pool, orgId, units[n++ % units.length]!),
    product: async () => {
      const at = n++
      const reply = await pools[at % 2]!.request({
        ...{ path, method: 'POST', headers },
        body: JSON.stringify(bookingOf(at, units[at % units.length]!.id, at % 300, (at % 300) + 2)),
      })
      const text = await reply.body.text()
      if (reply.statusCode !== 201) throw new Error(text)
    },
  }
  const rates: Record<string, number[]> = { pg: [], product: [] }
  for (let round = 0; round < 20; round++) {
    // Without analyze, PostgreSQL would keep the plans for empty tables.
    // The first eight rounds are not counted, because Node still compiles the code.
    if (round === 2) await owner.transaction({ orgId }, ({ raw }) => raw('analyze'))
    for (const [name, call] of Object.entries(variants)) {
      const perSecond = await measureRate(call)
      if (round > 7) rates[name]!.push(perSecond)
    }
  }
  await pool.end()
  for (const pool of pools) await pool.close()
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
  const [pgRate, productRate] = [median(rates['pg']!), median(rates['product']!)]
  console.log(`pg ${Math.round(pgRate)}/s, product ${Math.round(productRate)}/s`)
  const ratio = productRate / pgRate
  reportVerdict(
    ratio >= 0.6,
    `throughput on distinct units is ${ratio.toFixed(2)} of pg, minimum 0.60 (${loadAverage()})`,
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

/** The transaction of a booking, with history, event and job, one statement after the other. */
async function bookWithPg(pool: pg.Pool, orgId: string, unit: { id: string; account_id: string }) {
  const client = await pool.connect()
  try {
    const from = Math.floor(Math.random() * 300)
    await client.query('begin')
    await client.query("select set_config('app.org_id', $1, true)", [orgId])
    await client.query({
      name: 'lock',
      text: 'select 1 from units where org_id = $1 and id = $2 for no key update',
      values: [orgId, unit.id],
    })
    const full = await client.query({
      name: 'count',
      text: `select taken.night
        from units unit
        join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
        left join rate_plans plan
          on plan.org_id = unit.org_id and plan.unit_id = unit.id and plan.is_default,
        nights_taken(unit.org_id, array[unit.id], $3::date, $4::date - 1) taken
        where unit.org_id = $1 and unit.id = $2 and taken.booked + taken.blocked + 1 > unit.quantity`,
      values: [orgId, unit.id, day(from), day(from + 2)],
    })
    if (full.rowCount) throw new Error('full')
    const made = await client.query({
      name: 'insert',
      text: `insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
        values ($1, $2, $3, 'Guest', daterange($4, $5), $4::date + time '15:00', $5::date + time '11:00', 10000, 'eur')
        returning id, json::jsonb as fields, json`,
      values: [orgId, unit.account_id, unit.id, day(from), day(from + 2)],
    })
    const { id, json } = made.rows[0] as { id: string; json: string }
    await client.query({
      name: 'audit',
      text: `insert into sync_audit (org_id, account_id, unit_id, action, trigger, actor, changes)
        values ($1, $2, $3, 'booking.created', 'change', '{}', $4)`,
      values: [
        orgId,
        unit.account_id,
        unit.id,
        JSON.stringify([{ field: 'booking', before: null, after: json }]),
      ],
    })
    await client.query({
      name: 'event',
      text: `insert into events (org_id, account_id, type, subject_id, data) values ($1, $2, 'booking.created', $3, $4)`,
      values: [orgId, unit.account_id, id, JSON.stringify({ booking: JSON.parse(json) })],
    })
    await client.query({
      name: 'job',
      text: `insert into queue.jobs (queue, org_id, data, key) values ('notifications', $1, $2, $3)`,
      values: [
        orgId,
        JSON.stringify({ job: 'notify-of-event', org_id: orgId, payload: { eventId: id } }),
        id,
      ],
    })
    await client.query('commit')
  } finally {
    client.release()
  }
}
