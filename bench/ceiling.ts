// What does a request cost beside a bare Fastify + pg and a bare node:http + pg that answer the same from the same PostgreSQL?
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startNodeProcess, type NodeProcess } from '../server/test/node-process.ts'
import { startRedis } from '../server/test/own-redis.ts'
import {
  addRecords,
  bareFastify,
  operationsOn,
  plannedEachTime,
  sameTables,
  type Operation,
} from './ceiling-operations.ts'
import { reportVerdict, startApi, withBenchWorld } from './bench-world.ts'
import { connections, postgresOf, runSlice, type Slice } from './http-slice.ts'

const rounds = 3
const sliceSeconds = 2
/** Before it is measured, a server answers so many, in which its code is compiled, or as many as it can in four seconds. */
const warmUp = { requests: 2_000, seconds: 4 }
const internalToken = 'bench-token'

interface Server {
  readonly process: NodeProcess
  readonly sends: 'bare' | 'stored' | 'product'
  readonly headers: Record<string, string>
}

const missed: string[] = []

await withBenchWorld(async (bench) => {
  await using parts = new AsyncDisposableStack()
  parts.use(await bench.startWorker({ queues: ['sync', 'webhooks'] }))
  const records = await addRecords(bench)
  const redis = parts.use(await startRedis())
  const limits = new Redis(redis.url)
  parts.defer(() => limits.disconnect())
  // One organization may send 1,000 requests a minute; counting them is measured, not refusing them.
  const emptying = setInterval(() => void limits.flushdb(), 50)
  parts.defer(() => clearInterval(emptying))
  const collector = await startCollector()
  parts.defer(collector.close)
  const bareEnv = { DATABASE_URL: bench.world.databaseUrl, ORG_ID: bench.world.home.id }
  const startBare = async (kind: string, env = {}) =>
    parts.use(
      await startNodeProcess({ file: 'bench/bare-service.ts', args: [kind], env: { ...bareEnv, ...env } }),
    )
  const authorization = { authorization: `Bearer ${bench.operator.token}` }
  const everything = {
    REDIS_URL: redis.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
    LOG_LEVEL: 'info',
  }
  const logPath = join(bench.world.config.home, 'api.log')
  const start = async (env: Record<string, string>) =>
    parts.use(
      await startApi(bench, internalToken, bench.world.databaseUrl, {
        env: { ...env, ...unsigned },
        logPath,
      }),
    )
  const unsigned = { PMS_WEBHOOK_ALLOW_UNSIGNED: 'true' }
  const bare = await startBare('fastify')
  const servers: Record<string, Server> = {
    [bareFastify]: { process: bare, sends: 'bare', headers: {} },
    'bare node:http': { process: await startBare('http'), sends: 'bare', headers: {} },
    [plannedEachTime]: {
      process: await startBare('fastify', { UNNAMED: '1' }),
      sends: 'bare',
      headers: {},
    },
    [sameTables]: { process: bare, sends: 'stored', headers: {} },
    'as started': {
      process: await start({}),
      sends: 'product',
      headers: { ...authorization, 'x-internal-token': internalToken },
    },
    'everything on': { process: await start(everything), sends: 'product', headers: authorization },
  }
  await bench.refreshStatistics()
  const operations = operationsOn(records)
  // No table is empty when statistics are made, as after some hours.
  for (const { product } of Object.values(operations))
    await runSlice({ ...servers['as started']!, callAt: product, postgres: () => 0, seconds: 1 })
  await bench.settled()
  await bench.refreshStatistics()
  console.log(
    `| request, ${connections} connections | server | req/s | ratio | to the rival of the goal | p50 ms | p99 ms | p99 ms at 70 % | Node µs | PostgreSQL µs |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|`,
  )
  const chosen = process.argv.slice(2)
  for (const [name, operation] of Object.entries(operations))
    if (chosen.length === 0 || chosen.includes(name))
      await compare(name, operation, servers, postgresOf(bench))
  reportVerdict(
    missed.length === 0,
    `with everything on, a share of the throughput of a bare Fastify that answers or stores the same; missed: ${missed.join(', ') || 'none'}`,
  )
})

async function compare(
  name: string,
  operation: Operation,
  servers: Record<string, Server>,
  postgres: () => number,
) {
  const slices = new Map<string, Slice[]>()
  const measured = Object.entries(servers).flatMap(([server, { process, headers, sends }]) => {
    const callAt = operation[sends]
    const isSpare = server === plannedEachTime && operation.goal?.rival !== plannedEachTime
    return callAt && !isSpare ? [{ server, process, headers, callAt }] : []
  })
  for (const { process, headers, callAt } of measured)
    for (let second = 0, requests = 0; second < warmUp.seconds && requests < warmUp.requests; second++)
      requests += (await runSlice({ process, headers, callAt, postgres, seconds: 1 })).perSecond
  for (let round = 0; round < rounds; round++)
    for (const { server, process, headers, callAt } of measured) {
      const slice = await runSlice({ process, headers, callAt, postgres, seconds: sliceSeconds })
      slices.set(server, [...(slices.get(server) ?? []), slice])
    }
  const medianOf = (server: string, member: keyof Slice) =>
    slices
      .get(server)!
      .map((slice) => slice[member])
      .toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
  const ratioTo = (rival: string, server: string) =>
    slices.has(rival) ? (medianOf(server, 'perSecond') / medianOf(rival, 'perSecond')).toFixed(2) : undefined
  for (const { server, process, headers, callAt } of measured) {
    const perSecond = medianOf(server, 'perSecond')
    const calm = await runSlice({
      process,
      headers,
      callAt,
      postgres,
      seconds: sliceSeconds,
      rate: perSecond * 0.7,
    })
    const ratio = ratioTo(bareFastify, server)
    const judged = operation.goal && ratioTo(operation.goal.rival, server)
    const goal = server === 'everything on' && operation.goal ? ` (goal ${operation.goal.ratio})` : ''
    if (goal && Number(judged) < operation.goal!.ratio) missed.push(`${name} ${judged}${goal}`)
    const ratios = [ratio ?? '–', judged ? judged + goal : '–']
    const figures = [perSecond, ...ratios, medianOf(server, 'p50'), medianOf(server, 'p99'), calm.p99]
      .concat([medianOf(server, 'nodeUs'), medianOf(server, 'postgresUs')])
      .map((figure) => (typeof figure === 'number' ? Math.round(figure) : figure))
    console.log(`| ${[name, server, ...figures].join(' | ')} |`)
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
