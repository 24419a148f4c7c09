// How fast are messages of a PMS kept, and do 1,000 of them, five times each and in any order, have 1,000 effects?
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { abreast, stock, type Stocked } from './client.ts'
import { inHouse, quantile, verdict, type House } from './house.ts'

const messages = 1_000
const copies = 5
const lanes = 20

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

await inHouse(async (house) => {
  const units = await stock(house.client, { targets: 20, listingsEach: 1 })
  const worker = await house.startWorker({ queues: ['webhooks'] })
  const bodies = Array.from({ length: messages }, (_, at) => bookingOf(units[at % units.length]!, at))
  const sent = shuffled(bodies.flatMap((body) => Array.from({ length: copies }, () => body)))
  await keepBare(house, bodies.slice(0, 200))
  const bare = await keepBare(house, bodies)
  const answers: { status: number; ms: number }[] = []
  const startedAt = performance.now()
  await abreast(
    lanes,
    sent.map(({ targetId, body }) => async () => {
      const at = performance.now()
      const reply = await house.world.caller(null).post(`/webhooks/pms/${targetId}`, body)
      answers.push({ status: reply.status, ms: performance.now() - at })
    }),
  )
  const keptMs = performance.now() - startedAt
  await processed(house)
  const processedMs = performance.now() - startedAt
  const [effects] = await house.query(sql<{
    bookings: number
    told: number
    kept: number
    copies: number
  }>`select
      (select count(*)::int from bookings where external_id like 'BENCH-%' and status = 'confirmed') as bookings,
      (select count(*)::int from events where type = 'booking.created') as told,
      (select count(*)::int from webhook_messages) as kept,
      (select sum(copies)::int from webhook_messages) as copies`)
  const times = answers.map(({ ms }) => ms)
  const p99 = quantile(times, 0.99)
  console.log(
    `| ${messages} messages × ${copies}, ${lanes} abreast | p50 ms | p99 ms | per second |\n|---|--:|--:|--:|`,
  )
  console.log(`| ${line('the door', times, keptMs)} |`)
  console.log(`| ${line('bare: one transaction, message and job', bare.times, bare.ms)} |`)
  console.log(`\nthe p99 is ${(p99 / quantile(bare.times, 0.99)).toFixed(1)} times the bare one`)
  console.log(`all processed ${((processedMs - keptMs) / 1_000).toFixed(1)} s after the last answer`)
  console.log(`effects: ${JSON.stringify(effects)}`)
  worker.kill('SIGTERM')
  verdict(
    answers.every(({ status }) => status === 200),
    `all ${answers.length} are answered with 200`,
  )
  const { bookings, kept, copies: counted } = effects!
  verdict(
    bookings === messages && kept === messages && counted === messages * copies,
    `${messages} effects: ${bookings} bookings`,
  )
  verdict(p99 < 500, `p99 under 500 ms: ${p99.toFixed(0)} ms`)
})

function line(name: string, times: readonly number[], ms: number): string {
  const perSecond = ((times.length / ms) * 1_000).toFixed(0)
  return [name, quantile(times, 0.5).toFixed(1), quantile(times, 0.99).toFixed(1), perSecond].join(' | ')
}

/** A night of its own for each, so that all of them fit. */
function bookingOf({ targetId, externalId }: Stocked, at: number) {
  const night = 10 + Math.floor(at / 20)
  const data = {
    external_id: `BENCH-${at}`,
    unit_external_id: externalId,
    guest_name: `Guest ${at}`,
    check_in: day(night),
    check_out: day(night + 1),
    total_cents: 10_000,
    revised_at: '2026-01-01T00:00:00Z',
  }
  return {
    targetId,
    body: { id: `evt_${at}`, type: 'booking.created', timestamp: '2026-01-01T00:00:00Z', data },
  }
}

/** The same texts in two rows of plain tables, one transaction each: what the database alone takes. */
async function keepBare({ world, owner }: House, bodies: readonly { body: object }[]) {
  await owner.pipelined({ orgId: null }, [
    sql`create table if not exists bare_messages (id uuid primary key, name text, body text, at timestamptz default now())`,
    sql`create table if not exists bare_jobs (id uuid primary key, data jsonb, at timestamptz default now())`,
    sql`grant all on bare_messages, bare_jobs to vacancy_app`,
  ])
  const times: number[] = []
  const startedAt = performance.now()
  await abreast(
    lanes,
    bodies.map(({ body }) => async () => {
      const at = performance.now()
      const text = JSON.stringify(body)
      await world.resources.database.transaction({ orgId: null }, async (connection) => {
        await connection.run(
          sql`insert into bare_messages (id, name, body) values (${randomUUID()}, 'x', ${text})`,
        )
        await connection.run(sql`insert into bare_jobs (id, data) values (${randomUUID()}, ${text}::jsonb)`)
      })
      times.push(performance.now() - at)
    }),
  )
  return { times, ms: performance.now() - startedAt }
}

async function processed({ query }: House) {
  for (let left = 600; left > 0; left--) {
    const [row] = await query(
      sql<{ open: number }>`select count(*)::int as open from webhook_messages where status = 'received'`,
    )
    if (row!.open === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('Messages still wait after a minute.')
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value)
}
