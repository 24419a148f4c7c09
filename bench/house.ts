import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Statement } from '../server/src/db/connect.ts'
import { openOwner } from '../server/src/features/provisioning/provision.ts'
import { startPostgres } from '../server/src/start/postgres.ts'
import type { TestCaller } from '../server/test/caller.ts'
import { openWorld, type World } from '../server/test/world.ts'
import { clientOf, uncounted, type Client } from './client.ts'

/** The product as it runs in production: a durable PostgreSQL, the API here, workers and the PMS in processes of their own. */
export interface House {
  world: World
  client: Client
  /** The same operator, whose calls may be refused. */
  operator: TestCaller
  /** Of the stand-in in a process of its own. */
  pmsUrl: string
  owner: Database
  query<Row>(statement: Statement<Row>): Promise<Row[]>
  startWorker(options?: {
    env?: Record<string, string>
    flags?: string[]
    queues?: string[]
  }): Promise<ChildProcess>
  /**
   * As after some hours: PostgreSQL knows how full its tables are, and what was planned before is forgotten. It compares
   * each new plan with what the first ones cost, on tables that were empty then, and would plan every statement anew for
   * the next thousand times of each connection.
   */
  settleIn(): Promise<void>
  /** Waits until the PMS has everything. */
  settled(seconds?: number): Promise<void>
}

export async function inHouse(work: (house: House) => Promise<void>): Promise<void> {
  await using parts = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'vacancy-bench-'))
  parts.defer(() => rmSync(home, { recursive: true, force: true }))
  const credentials = { user: 'vacancy', password: 'bench', database: 'vacancy' }
  const postgres = await startPostgres({ home, credentials, isDurable: true })
  parts.defer(async () => {
    await postgres.stop()
    rmSync(postgres.dataDir, { recursive: true, force: true })
  })
  process.env['TEST_DATABASE_URL'] = postgres.url
  const outside = await ready(fork(new URL('../sandbox/bin/sandbox.ts', import.meta.url), [], quiet({})))
  parts.defer(() => stop(outside.child))
  const pmsUrl = String(outside.facts['pms_url'])
  const secretKeys = `bench:${randomBytes(32).toString('base64')}`
  const internalToken = randomBytes(16).toString('hex')
  const env = {
    PMS_SANDBOX_URL: pmsUrl,
    SECRET_KEYS: secretKeys,
    INTERNAL_SERVICE_TOKEN: internalToken,
    DATABASE_POOL_SIZE: '10',
  }
  const world = parts.use(await openWorld({ env }))
  const owner = openOwner(world.databaseUrl)
  parts.defer(() => owner.close())
  // A busy machine takes longer than a token of the usual age lasts.
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const operator = uncounted(await world.home.as('owner', { exp }), internalToken)
  const client = clientOf(operator)
  const query: House['query'] = async (statement) =>
    (await owner.pipelined({ orgId: world.home.id }, [statement]))[0] as never
  await work({
    world,
    client,
    operator,
    pmsUrl,
    owner,
    query,
    async startWorker(options = {}) {
      const { config } = world
      const { child } = await ready(
        fork(new URL('../server/bin/worker.ts', import.meta.url), options.queues ?? ['sync'], {
          ...quiet({
            DATABASE_URL: config.database.url,
            OIDC_ISSUER: config.identity.issuer,
            OIDC_AUDIENCE: config.identity.audience,
            SECRET_KEYS: secretKeys,
            PMS_SANDBOX_URL: pmsUrl,
            ALLOW_PRIVATE_ADDRESSES: 'true',
            SYNC_SAMPLE_SHARE: '0',
            ...options.env,
          }),
          execArgv: [...asStarted, ...(options.flags ?? [])],
        }),
      )
      parts.defer(() => stop(child))
      return child
    },
    async settleIn() {
      await query(sql`analyze`)
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
        if (Date.now() > limit) throw new Error(`${row!.open} listings still wait after ${seconds} s.`)
        await sleep(100)
      }
    },
  })
}

/** As the product starts its worker. */
const asStarted = ['--max-semi-space-size=8']

/** How a part runs that says over the channel when it is ready, and on its error stream what troubles it. */
export const quiet = (env: Record<string, string>) => ({
  env: { PATH: process.env['PATH'] ?? '', ...env },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as ['ignore', 'ignore', 'inherit', 'ipc'],
})

export async function ready(
  child: ChildProcess,
): Promise<{ child: ChildProcess; facts: Record<string, unknown> }> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`A part ended with ${code}.`)))
  const [facts] = (await Promise.race([once(child, 'message'), ended])) as [Record<string, unknown>]
  ended.catch(() => {})
  return { child, facts }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGCONT')
  child.kill('SIGTERM')
  await Promise.race([once(child, 'exit'), sleep(10_000).then(() => child.kill('SIGKILL'))])
}

/** What else the machine has to do; stands beside each figure. */
export const load = () => `load average ${loadavg()[0]!.toFixed(1)}`

/** The value below which that share of the sorted values lies. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN

/** Prints what was promised beside what was found. */
export function verdict(holds: boolean, sentence: string): void {
  console.log(`\n${holds ? 'holds' : 'MISSED'}: ${sentence} (${load()})`)
  if (!holds) process.exitCode = 1
}
