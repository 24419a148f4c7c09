import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Statement } from '../server/src/db/sql.ts'
import type { Database } from '../server/src/db/connect.ts'
import { openOwner } from '../server/src/features/tenancy/provisioning/provision.ts'
import { callerFor, type TestCaller } from '../server/test/caller.ts'
import { withClient } from '../server/test/databases.ts'
import { startNodeProcess, type NodeProcess } from '../server/test/node-process.ts'
import { openWorld, type World } from '../server/test/world.ts'
import { openBenchPostgres } from './bench-postgres.ts'

export interface ProcessOptions {
  env?: Record<string, string>
  flags?: string[]
  /** Output is appended to this file instead of read by this process, which would take a part of the measured time. */
  logPath?: string
}

/** A durable PostgreSQL, the API in this process, workers and the sandbox in processes of their own. */
export interface BenchWorld {
  world: World
  /** The owner, without rate limits. */
  operator: TestCaller
  /** The URL of the sandbox PMS. */
  pmsUrl: string
  owner: Database
  postgresPid: number
  query<Row>(statement: Statement<Row>): Promise<Row[]>
  startWorker(options?: ProcessOptions & { queues?: string[] }): Promise<NodeProcess>
  /**
   * Vacuums and analyzes the tables, and closes all connections, as if the product had run for hours. PostgreSQL compares
   * the cost of a generic plan with that of earlier plans, which were made for empty tables, and would not use generic plans.
   */
  refreshStatistics(): Promise<void>
  /** Waits until all listings are in sync. */
  settled(seconds?: number): Promise<void>
}

export async function withBenchWorld(work: (bench: BenchWorld) => Promise<void>): Promise<void> {
  await using parts = new AsyncDisposableStack()
  const postgres = await openBenchPostgres(parts, { isDurable: true })
  const sandbox = parts.use(await startNodeProcess({ file: 'sandbox/bin/sandbox.ts', env: {} }))
  const pmsUrl = sandbox.facts.pms_url!
  const secretKeys = `bench:${randomBytes(32).toString('base64')}`
  const internalToken = randomBytes(16).toString('hex')
  const env = {
    GENERIC_PMS_URL: pmsUrl,
    SECRET_KEYS: secretKeys,
    INTERNAL_SERVICE_TOKEN: internalToken,
    DATABASE_POOL_SIZE: '10',
  }
  const world = parts.use(await openWorld({ env }))
  const owner = openOwner(world.databaseUrl)
  parts.defer(() => owner.close())
  // A benchmark takes longer than the usual lifetime of a token.
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const { token } = await world.home.as('owner', { exp })
  const operator = callerFor(world.url, token, { 'x-internal-token': internalToken })
  const query: BenchWorld['query'] = async (statement) =>
    (await owner.pipelined({ orgId: world.home.id }, [statement]))[0]
  await work({
    world,
    operator,
    pmsUrl,
    owner,
    // The first line of this file is the id of the postmaster.
    postgresPid: Number.parseInt(readFileSync(join(postgres.dataDir, 'postmaster.pid'), 'utf8')),
    query,
    async startWorker({ env = {}, flags = [], queues = ['sync'] } = {}) {
      const { config } = world
      const worker = await startNodeProcess({
        ...{ file: 'server/bin/worker.ts', args: queues, flags: [...workerFlags, ...flags] },
        env: {
          MALLOC_ARENA_MAX: '2',
          DATABASE_URL: config.database.url,
          OIDC_ISSUER: config.identity.issuer,
          OIDC_AUDIENCE: config.identity.audience,
          SECRET_KEYS: secretKeys,
          GENERIC_PMS_URL: pmsUrl,
          ALLOW_PRIVATE_ADDRESSES: 'true',
          SYNC_SAMPLE_SHARE: '0',
          LOG_LEVEL: 'error',
          ...env,
        },
      })
      return parts.use(worker)
    },
    async refreshStatistics() {
      await withClient(world.databaseUrl, async (client) => void (await client.query('vacuum analyze')))
      await query(sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      await sleep(3_000)
    },
    async settled(seconds = 120) {
      const limit = Date.now() + seconds * 1_000
      for (;;) {
        const [row] = await query(
          sql<{
            open: number
          }>`select count(*)::int as open from listing_syncs where status in ('pending', 'in_progress')`,
        )
        if (row!.open === 0) return
        if (Date.now() > limit) throw new Error(`${row!.open} listings are still open after ${seconds} s.`)
        await sleep(100)
      }
    },
  })
}

/** Starts an API process, optionally on another database URL. */
export async function startApi(
  { world: { config }, pmsUrl }: Pick<BenchWorld, 'world' | 'pmsUrl'>,
  internalToken: string,
  databaseUrl = config.database.url,
  { env: more = {}, flags = [], logPath }: ProcessOptions = {},
): Promise<NodeProcess> {
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    OIDC_ISSUER: config.identity.issuer,
    OIDC_AUDIENCE: config.identity.audience,
    SECRET_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
    GENERIC_PMS_URL: pmsUrl,
    INTERNAL_SERVICE_TOKEN: internalToken,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'silent',
    ...more,
  }
  return await startNodeProcess({ file: 'server/bin/api.ts', flags, env, ...(logPath && { logPath }) })
}

/** The flags of a worker in production. */
const workerFlags = ['--max-semi-space-size=8', '--max-old-space-size=1024']

/** The load of the machine, printed with each result. */
export const loadAverage = () => `load average ${loadavg()[0]!.toFixed(1)}`

/** The quantile of the values. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN

/** Prints whether the limit is kept. The exit code is 1 when it is not. */
export function reportVerdict(passed: boolean, sentence: string): void {
  console.log(`\n${passed ? 'passed' : 'FAILED'}: ${sentence} (${loadAverage()})`)
  if (!passed) process.exitCode = 1
}
