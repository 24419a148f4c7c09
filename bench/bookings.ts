// bookings: are the rooms of a night sold exactly, and how fast are bookings against the same transaction by bare pg?
import { fork } from 'node:child_process'
import { sql } from 'kysely'
import pg from 'pg'
import { Pool } from 'undici'
import { callerFor, type Reply } from '../server/test/caller.ts'
import { addSpace, addUnit } from '../server/test/records.ts'
import { uncounted } from './client.ts'
import { inHouse, load, quiet, ready, stop, verdict, type House } from './house.ts'

const internalToken = 'bench-token'
const path = '/api/v1/bookings'
const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)

await inHouse(async (house) => {
  const { config } = house.world
  const children = await Promise.all(
    [1, 2].map(() =>
      ready(
        fork(
          new URL('../server/bin/api.ts', import.meta.url),
          [],
          quiet({
            PORT: '0',
            HOST: '127.0.0.1',
            DATABASE_URL: config.database.url,
            DATABASE_POOL_SIZE: '10',
            OIDC_ISSUER: config.identity.issuer,
            OIDC_AUDIENCE: config.identity.audience,
            SECRET_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
            PMS_SANDBOX_URL: house.pmsUrl,
            INTERNAL_SERVICE_TOKEN: internalToken,
            ALLOW_PRIVATE_ADDRESSES: 'true',
            LOG_LEVEL: 'silent',
          }),
        ),
      ),
    ),
  )
  try {
    const { token } = house.operator
    const doors = children.map(({ facts }) =>
      uncounted(callerFor(String(facts['url']), token), internalToken),
    )
    const book = (at: number, unitId: string, from: number, to: number) =>
      doors[at % 2]!.post(path, bookingOf(at, unitId, from, to))
    await sameNight(house, book)
    await shiftedRanges(house, book)
    const urls = children.map(({ facts }) => String(facts['url']))
    await throughput(house, urls, { authorization: `Bearer ${token}`, 'x-internal-token': internalToken })
  } finally {
    for (const { child } of children) await stop(child)
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

function counted(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status === 201 ? '201' : `${status} ${body?.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** 200 attempts on one night of 20 rooms, at two doors. */
async function sameNight({ operator }: House, book: Book) {
  let exact = 0
  const seconds: number[] = []
  const all: Reply[] = []
  for (let round = 0; round < 20; round++) {
    const { id } = await addUnit(operator, { quantity: 20 })
    const begun = performance.now()
    const replies = await Promise.all(Array.from({ length: 200 }, (_, at) => book(at, id, 5, 6)))
    seconds.push((performance.now() - begun) / 1_000)
    all.push(...replies)
    const { 201: made, '409 booking-conflict': refused } = counted(replies)
    if (made === 20 && refused === 180) exact++
  }
  const median = seconds.toSorted((a, b) => a - b)[10]!
  console.log(
    `200 attempts on one night, 20 rounds: ${JSON.stringify(counted(all))}, median round ${median.toFixed(2)} s`,
  )
  verdict(exact === 20, `exactly 20 of 200 succeed in ${exact} of 20 rounds, the others are 409`)
}

/** Stays that overlap each other in part, of one room. */
async function shiftedRanges({ operator, query }: House, book: Book) {
  const { id } = await addUnit(operator, { quantity: 1 })
  const replies = await Promise.all(
    Array.from({ length: 400 }, (_, at) => book(at, id, (at * 37) % 90, ((at * 37) % 90) + 2 + (at % 6))),
  )
  const [row] = await query(
    sql<{ overlaps: number }>`select count(*)::int as overlaps from bookings a join bookings b
      on b.unit_id = a.unit_id and b.id > a.id and b.nights && a.nights where a.unit_id = ${id}`,
  )
  const counts = counted(replies)
  console.log(`400 shifted stays of one room: ${JSON.stringify(counts)}, overlaps ${row!.overlaps}`)
  const isFair = Object.keys(counts).every((name) => name === '201' || name === '409 booking-conflict')
  verdict(row!.overlaps === 0 && isFair, 'no overlap, no deadlock shown')
}

/** Distinct units, 16 callers: through the door, and the statements of the product by bare pg. */
async function throughput(
  { operator, owner, world }: House,
  urls: readonly string[],
  credentials: Record<string, string>,
) {
  const space = await addSpace(operator)
  const units: { id: string; account_id: string }[] = []
  for (let number = 0; number < 64; number++)
    units.push(await addUnit(operator, { space_id: space.id, quantity: 10_000 }))
  // What a client costs that shares our processors is no cost of the product: the lightest there is.
  const doors = urls.map((url) => new Pool(url, { connections: 16 }))
  const headers = { ...credentials, 'content-type': 'application/json' }
  const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 20, options: '-c role=vacancy_app' })
  const orgId = world.home.id
  let n = 0
  const rivals: Record<string, () => Promise<unknown>> = {
    bare: () => bare(pool, orgId, units[n++ % units.length]!),
    product: async () => {
      const at = n++
      const reply = await doors[at % 2]!.request({
        ...{ path, method: 'POST', headers },
        body: JSON.stringify(bookingOf(at, units[at % units.length]!.id, at % 300, (at % 300) + 2)),
      })
      const text = await reply.body.text()
      if (reply.statusCode !== 201) throw new Error(text)
    },
  }
  const figures: Record<string, number[]> = { bare: [], product: [] }
  for (let round = 0; round < 20; round++) {
    // Statistics as a database has them that is older than a minute: without, plans for empty tables are kept.
    // The first eight rounds are not counted, since Node still compiles what it has just learned is hot.
    if (round === 2) await owner.transaction({ orgId }, ({ raw }) => raw('analyze'))
    for (const [name, call] of Object.entries(rivals)) {
      const perSecond = await turn(call)
      if (round > 7) figures[name]!.push(perSecond)
    }
  }
  await pool.end()
  for (const door of doors) await door.close()
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
  const [bareRate, productRate] = [median(figures['bare']!), median(figures['product']!)]
  console.log(`bare pg ${Math.round(bareRate)}/s, product ${Math.round(productRate)}/s`)
  const ratio = productRate / bareRate
  verdict(
    ratio >= 0.6,
    `throughput on distinct units is ${ratio.toFixed(2)} of bare pg, promised 0.60 (${load()})`,
  )
}

async function turn(call: () => Promise<unknown>, ms = 1_000): Promise<number> {
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

/** The guarded transaction and all that it leaves: booking, history, event and job; one statement after the other. */
async function bare(pool: pg.Pool, orgId: string, unit: { id: string; account_id: string }) {
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
      text: `select t.night from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
        left join rate_plans p on p.org_id = u.org_id and p.unit_id = u.id and p.is_default,
        nights_taken(u.org_id, array[u.id], $3::date, $4::date - 1) t
        where u.org_id = $1 and u.id = $2 and t.booked + t.blocked + 1 > u.quantity`,
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
      text: `insert into pgboss.job_common (name, data, singleton_key) values ('notifications', $1, $2)`,
      values: [JSON.stringify({ job: 'notify-of-event', org_id: orgId, payload: { eventId: id } }), id],
    })
    await client.query('commit')
  } finally {
    client.release()
  }
}
