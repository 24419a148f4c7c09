// How fast are webhooks of a PMS stored, and do 1,000 messages, five times each in random order, have 1,000 effects?
import { sql } from '../server/src/db/sql.ts'
import pMap from 'p-map'
import { Pool } from 'undici'
import { startNodeProcess } from '../server/test/node-process.ts'
import { bareTables } from './bare-service.ts'
import { addListings, type BenchListing } from './listings.ts'
import { withBenchWorld, quantile, reportVerdict, startApi, type BenchWorld } from './bench-world.ts'

const messages = 1_000
const copies = 5
const concurrency = 20
const minShare = 0.5

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

await withBenchWorld(async (bench) => {
  const units = await addListings(bench.operator, { targets: 20, listingsEach: 1 })
  const worker = await bench.startWorker({ queues: ['webhooks'] })
  const bodies = Array.from({ length: messages }, (_, at) => bookingOf(units[at % units.length]!, at))
  const sent = shuffled(bodies.flatMap((body) => Array.from({ length: copies }, () => body)))
  await using parts = new AsyncDisposableStack()
  await bench.owner.pipelined({ orgId: null }, [{ text: bareTables }])
  const env = { DATABASE_URL: bench.world.databaseUrl, ORG_ID: bench.world.home.id }
  const bare = parts.use(await startNodeProcess({ file: 'bench/bare-service.ts', env }))
  const unsigned = { env: { PMS_WEBHOOK_ALLOW_UNSIGNED: 'true' } }
  const api = parts.use(await startApi(bench, 'bench-token', undefined, unsigned))
  await sendAll(bare.facts.url!, sent.slice(0, 500), () => '/messages')
  const baseline = await sendAll(bare.facts.url!, sent, () => '/messages')
  const startedAt = performance.now()
  const { replies, ms: storedMs } = await sendAll(
    api.facts.url!,
    sent,
    ({ targetId }) => `/webhooks/pms/${targetId}`,
  )
  await waitUntilProcessed(bench)
  const processedMs = performance.now() - startedAt
  const [effects] = await bench.query(sql<{
    bookings: number
    events: number
    messages: number
    copies: number
  }>`select
      (select count(*)::int from bookings where external_id like 'BENCH-%' and status = 'confirmed') as bookings,
      (select count(*)::int from events where type = 'booking.created') as events,
      (select count(*)::int from webhook_messages) as messages,
      (select sum(copies)::int from webhook_messages) as copies`)
  const times = replies.map(({ ms }) => ms)
  const p99 = quantile(times, 0.99)
  console.log(
    `| ${messages} messages × ${copies}, ${concurrency} concurrent | p50 ms | p99 ms | per second |\n|---|--:|--:|--:|`,
  )
  console.log(`| ${line('the API', times, storedMs)} |`)
  console.log(`| ${line('a bare Fastify + pg: one insert', baseline.times, baseline.ms)} |`)
  console.log(`\nthe p99 is ${(p99 / quantile(baseline.times, 0.99)).toFixed(1)} times that of the baseline`)
  console.log(`all processed ${((processedMs - storedMs) / 1_000).toFixed(1)} s after the last response`)
  console.log(`effects: ${JSON.stringify(effects)}`)
  await worker.kill('SIGTERM')
  reportVerdict(
    replies.every(({ status }) => status === 200),
    `all ${replies.length} have status 200`,
  )
  const { bookings, messages: stored, copies: counted } = effects!
  reportVerdict(
    bookings === messages && stored === messages && counted === messages * copies,
    `${messages} effects: ${bookings} bookings`,
  )
  const share = baseline.ms / storedMs
  reportVerdict(
    share >= minShare,
    `${share.toFixed(2)} of the messages a second of the bare one, minimum ${minShare}`,
  )
})

function line(name: string, times: readonly number[], ms: number): string {
  const perSecond = ((times.length / ms) * 1_000).toFixed(0)
  return [name, quantile(times, 0.5).toFixed(1), quantile(times, 0.99).toFixed(1), perSecond].join(' | ')
}

/** A different night for each, so that none conflict. */
function bookingOf({ targetId, externalId }: BenchListing, at: number) {
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

interface Message {
  readonly targetId: string
  readonly body: object
}

async function sendAll(url: string, messages: readonly Message[], pathOf: (message: Message) => string) {
  const pool = new Pool(url, { connections: concurrency })
  const replies: { status: number; ms: number }[] = []
  const startedAt = performance.now()
  const send = async (message: Message) => {
    const at = performance.now()
    const { statusCode, body } = await pool.request({
      ...{ path: pathOf(message), method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(message.body),
    })
    await body.dump()
    replies.push({ status: statusCode, ms: performance.now() - at })
  }
  await pMap(messages, send, { concurrency })
  const ms = performance.now() - startedAt
  await pool.close()
  return { replies, times: replies.map((reply) => reply.ms), ms }
}

async function waitUntilProcessed({ query }: BenchWorld) {
  for (let attempts = 600; attempts > 0; attempts--) {
    const [row] = await query(
      sql<{ open: number }>`select count(*)::int as open from webhook_messages where status = 'received'`,
    )
    if (row!.open === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('Some messages were not processed within a minute.')
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value)
}
