// What does a request cost beside a bare Fastify + pg and a bare node:http + pg that answer the same from the same PostgreSQL?
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import autocannon from 'autocannon'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { startNodeProcess, type NodeProcess } from '../server/test/node-process.ts'
import { startRedis } from '../server/test/own-redis.ts'
import { bareTables } from './bare-service.ts'
import { addSpace, addUnit } from '../server/test/records.ts'
import { addListings } from './listings.ts'
import { loadAverage, startApi, withBenchWorld, type BenchWorld } from './bench-world.ts'

const connections = 16
const rounds = 3
const sliceSeconds = 2.5
const internalToken = 'bench-token'

const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: object
}

interface Operation {
  /** The ratio of throughput with everything on to that of the bare Fastify that is wanted. */
  readonly goal?: number
  readonly product: (at: number) => Call
  readonly bare?: (at: number) => Call
}

interface Server {
  readonly process: NodeProcess
  readonly isBare: boolean
  readonly headers: Record<string, string>
}

interface Slice {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Processor time for one request, microseconds. */
  readonly nodeUs: number
  readonly postgresUs: number
}

let calls = 0

await withBenchWorld(async (bench) => {
  await using parts = new AsyncDisposableStack()
  parts.use(await bench.startWorker({ queues: ['sync', 'webhooks'] }))
  const records = await addRecords(bench)
  await bench.refreshStatistics()
  const redis = parts.use(await startRedis())
  const limits = new Redis(redis.url)
  parts.defer(() => limits.disconnect())
  // One organization may send 1,000 requests a minute; counting them is measured, not refusing them.
  const emptying = setInterval(() => void limits.flushdb(), 50)
  parts.defer(() => clearInterval(emptying))
  const collector = await startCollector()
  parts.defer(collector.close)
  const bareEnv = { DATABASE_URL: bench.world.databaseUrl, ORG_ID: bench.world.home.id }
  const startBare = async (kind: string) =>
    parts.use(await startNodeProcess({ file: 'bench/bare-service.ts', args: [kind], env: bareEnv }))
  const authorization = { authorization: `Bearer ${bench.operator.token}` }
  const everything = {
    REDIS_URL: redis.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
    LOG_LEVEL: 'info',
  }
  const start = async (env: Record<string, string>) =>
    parts.use(await startApi(bench, internalToken, bench.world.databaseUrl, { env: { ...env, ...unsigned } }))
  const unsigned = { PMS_WEBHOOK_ALLOW_UNSIGNED: 'true' }
  const servers: Record<string, Server> = {
    'bare Fastify': { process: await startBare('fastify'), isBare: true, headers: {} },
    'bare node:http': { process: await startBare('http'), isBare: true, headers: {} },
    'as started': {
      process: await start({}),
      isBare: false,
      headers: { ...authorization, 'x-internal-token': internalToken },
    },
    'everything on': { process: await start(everything), isBare: false, headers: authorization },
  }
  console.log(
    `| request, ${connections} connections | server | req/s | ratio | p50 ms | p99 ms | p99 ms at 70 % | Node µs | PostgreSQL µs |\n|---|---|--:|--:|--:|--:|--:|--:|--:|`,
  )
  const chosen = process.argv.slice(2)
  for (const [name, operation] of Object.entries(operationsOn(records)))
    if (chosen.length === 0 || chosen.includes(name))
      await compare(name, operation, servers, postgresOf(bench))
  console.log(`\n${loadAverage()}`)
})

async function compare(
  name: string,
  operation: Operation,
  servers: Record<string, Server>,
  postgres: () => number,
) {
  const slices = new Map<string, Slice[]>()
  const measured = Object.entries(servers).filter(([, { isBare }]) => !isBare || operation.bare)
  for (let round = -1; round < rounds; round++)
    for (const [server, { process, isBare, headers }] of measured) {
      const callAt = isBare ? operation.bare! : operation.product
      const slice = await runSlice({
        process,
        headers,
        callAt,
        postgres,
        seconds: round < 0 ? 1 : sliceSeconds,
      })
      if (round >= 0) slices.set(server, [...(slices.get(server) ?? []), slice])
    }
  const medianOf = (server: string, member: keyof Slice) =>
    slices
      .get(server)!
      .map((slice) => slice[member])
      .toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
  for (const [server, { process, isBare, headers }] of measured) {
    const perSecond = medianOf(server, 'perSecond')
    const callAt = isBare ? operation.bare! : operation.product
    const calm = await runSlice({
      process,
      headers,
      callAt,
      postgres,
      seconds: sliceSeconds,
      rate: perSecond * 0.7,
    })
    const ratio = operation.bare ? (perSecond / medianOf('bare Fastify', 'perSecond')).toFixed(2) : '–'
    const goal = server === 'everything on' && operation.goal ? ` (goal ${operation.goal})` : ''
    const figures = [perSecond, ratio + goal, medianOf(server, 'p50'), medianOf(server, 'p99'), calm.p99]
      .concat([medianOf(server, 'nodeUs'), medianOf(server, 'postgresUs')])
      .map((figure) => (typeof figure === 'number' ? Math.round(figure) : figure))
    console.log(`| ${[name, server, ...figures].join(' | ')} |`)
  }
}

interface SliceOptions {
  process: NodeProcess
  headers: Record<string, string>
  callAt: (at: number) => Call
  postgres: () => number
  seconds: number
  rate?: number
}

async function runSlice({ process, headers, callAt, postgres, seconds, rate }: SliceOptions): Promise<Slice> {
  const before = { node: processorUs(process.pid), postgres: postgres() }
  const result = await autocannon({
    ...{
      url: process.facts.url!,
      connections,
      duration: seconds,
      ...(rate && { overallRate: Math.ceil(rate) }),
    },
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, body } = callAt(calls++)
          const content = body && { 'content-type': 'application/json' }
          return {
            ...request,
            method,
            path,
            headers: { ...headers, ...content },
            body: body && JSON.stringify(body),
          }
        },
      },
    ],
  })
  const answered = result['2xx']
  if (result.non2xx > answered / 100 || answered === 0)
    throw new Error(
      `${result.non2xx} of ${answered + result.non2xx} requests failed: ${JSON.stringify(result.statusCodeStats)}`,
    )
  return {
    perSecond: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    nodeUs: (processorUs(process.pid) - before.node) / answered,
    postgresUs: (postgres() - before.postgres) / answered,
  }
}

/** The processor time of a process, and of its ended children, in microseconds; Linux counts in hundredths of a second. */
function processorUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 10_000
}

/** Reads the processor time of the server and its backends. */
function postgresOf({ postgresPid }: BenchWorld): () => number {
  const parentOf = (pid: string) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[1]
  return () => {
    let sum = processorUs(postgresPid)
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        if (parentOf(pid) === String(postgresPid)) sum += processorUs(Number(pid))
      } catch {} // it has ended
    return sum
  }
}

interface Records {
  spaceId: string
  unitIds: string[]
  /** Linked, so that each change of a price is pushed. */
  linked: { unitId: string; targetId: string; externalId: string }[]
  bookable: string[]
}

async function addRecords(bench: BenchWorld): Promise<Records> {
  const { world, owner, operator } = bench
  const orgId = world.home.id
  await owner.pipelined({ orgId }, [
    sql`insert into spaces (org_id, account_id, name, address, city, zip, country, amenities, description, timezone, currency)
      select ${orgId}, ${world.home.accountId}, 'Alfama Terraces ' || n, 'Rua dos Remédios ' || n, 'Lisboa', '1100-445', 'PT',
        '["wifi","kitchen","washer","air_conditioning"]', repeat('A quiet flat above the river. ', 6), 'Europe/Lisbon', 'eur'
      from generate_series(1, 400) n`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, name || ' / ' || n, 'apartment', 2, 1.5, 4, 12400 + n, 'eur'
      from spaces, generate_series(1, 50) n where org_id = ${orgId}`,
  ])
  const linked = await addListings(operator, { targets: 20, listingsEach: 2, config: { debounce_ms: 0 } })
  const space = await addSpace(operator)
  const bookable: string[] = []
  for (let number = 0; number < 64; number++) {
    const unit = await addUnit(operator, { space_id: space.id, quantity: 10_000, base_price_cents: 10_000 })
    bookable.push(unit.id)
  }
  await bench.settled()
  const units = await bench.query(sql<{ id: string }>`select id from units order by random() limit 1000`)
  await owner.pipelined({ orgId: null }, [{ text: bareTables }])
  return { spaceId: space.id, unitIds: units.map(({ id }) => id), linked, bookable }
}

function operationsOn({ spaceId, unitIds, linked, bookable }: Records): Record<string, Operation> {
  const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!
  const post = (path: string, body: object): Call => ({ method: 'POST', path, body })
  const get = (path: string): Call => ({ method: 'GET', path })
  const newSpace = (at: number) => ({ name: `Space ${at}`, timezone: 'Europe/Lisbon', city: 'Lisboa' })
  const newUnit = (at: number) => ({ space_id: spaceId, name: `Unit ${at}`, base_price_cents: 9_900 })
  const price = (at: number) => ({ base_price_cents: 10_000 + (at % 5_000) })
  const booking = (at: number) => ({
    ...{ unitId: pick(bookable, at), guestName: `Guest ${at}`, totalCents: 20_000 },
    ...{ checkIn: day(at % 300), checkOut: day((at % 300) + 2) },
  })
  const notice = (at: number) => ({
    ...{ id: `evt_ceiling_${at}`, type: 'booking.created', timestamp: '2026-01-01T00:00:00Z' },
    data: {
      ...{ external_id: `C-${at}`, unit_external_id: pick(linked, at).externalId, guest_name: `Guest ${at}` },
      ...{
        check_in: day(at % 600),
        check_out: day((at % 600) + 1),
        total_cents: 10_000,
        revised_at: '2026-01-01T00:00:00Z',
      },
    },
  })
  return {
    health: { goal: 0.6, product: () => get('/health'), bare: () => get('/health') },
    'one unit': {
      goal: 0.75,
      product: (at) => get(`/api/v1/units/${pick(unitIds, at)}`),
      bare: (at) => get(`/units/${pick(unitIds, at)}`),
    },
    'list of 20 units': {
      goal: 0.9,
      product: () => get('/api/v1/units?limit=20'),
      bare: () => get('/units'),
    },
    'create a space': {
      goal: 0.6,
      product: (at) => post('/api/v1/spaces', newSpace(at)),
      bare: (at) => post('/spaces', newSpace(at)),
    },
    'create a unit': {
      goal: 0.6,
      product: (at) => post('/api/v1/units', newUnit(at)),
      bare: (at) => post('/units', newUnit(at)),
    },
    'price with its push': {
      goal: 0.5,
      product: (at) => ({
        method: 'PATCH',
        path: `/api/v1/units/${pick(linked, at).unitId}`,
        body: price(at),
      }),
      bare: (at) => ({ method: 'PATCH', path: `/units/${pick(linked, at).unitId}`, body: price(at) }),
    },
    booking: {
      goal: 0.6,
      product: (at) => post('/api/v1/bookings', booking(at)),
      bare: (at) => post('/bookings', booking(at)),
    },
    webhook: {
      goal: 0.5,
      product: (at) => post(`/webhooks/pms/${pick(linked, at).targetId}`, notice(at)),
      bare: (at) => post('/messages', notice(at)),
    },
    'calendar 50 × 56': { product: () => get(`/api/v1/calendar?limit=50&from=${day(0)}&to=${day(55)}`) },
    search: { product: () => get('/api/v1/search?q=Terraces%2011') },
    availability: {
      product: () => get(`/api/v1/availability?limit=20&from=${day(1)}&to=${day(3)}`),
    },
  }
}

/** Takes traces and forgets them. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`
  return { url, close: () => (server.close(), server.closeAllConnections()) }
}
