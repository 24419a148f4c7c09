import { sql } from '../server/src/db/sql.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkLedger } from './check-ledger.ts'
import type { TestCaller } from '../server/test/caller.ts'
import type { Cluster } from './cluster.ts'
import type { Finding } from './ledger.ts'
import type { Load } from './load.ts'
import { cpuMsOf, type ManagedProcess } from './managed-process.ts'
import { settle } from './settle.ts'
import type { ListedUnit } from './fixtures.ts'

/** How long killed parts took to start again. */
export interface KillTimes {
  /** From the start of the process until it responded to a request that uses the database. */
  readyMs: number[]
  /** The processor time of the start, for a single process. It depends less on the load of the machine. */
  cpuMs?: number[]
}

/** Kills one API process after the other. */
export async function killApis(cluster: Cluster, loops: number): Promise<KillTimes> {
  const readyMs: number[] = []
  const cpuMs: number[] = []
  for (let n = 0; n < loops; n++) {
    await sleep(randomDelayMs())
    const at = n % cluster.apis.length
    await cluster.apis[at]!.kill('SIGKILL')
    const startedAt = performance.now()
    await cluster.apis[at]!.start()
    await waitUntilReady(cluster.clients[at]!)
    readyMs.push(performance.now() - startedAt)
    cpuMs.push(cpuMsOf(cluster.apis[at]!.pid()))
  }
  return { readyMs, cpuMs }
}

/** Kills all processes of PostgreSQL, and waits until every API process responds again. */
export async function killPostgres(cluster: Cluster, loops: number): Promise<KillTimes> {
  const readyMs: number[] = []
  for (let n = 0; n < loops; n++) {
    await sleep(randomDelayMs())
    await cluster.postgres.kill('SIGKILL')
    // Long enough for refused connections.
    await sleep(200 * Math.random())
    const startedAt = performance.now()
    await cluster.postgres.start()
    await Promise.all(cluster.clients.map(waitUntilReady))
    readyMs.push(performance.now() - startedAt)
    assertRunning([...cluster.apis, ...cluster.workers])
  }
  return { readyMs }
}

/** Kills Redis, which only counts requests. */
export async function killRedis(cluster: Cluster, redis: ManagedProcess, loops: number): Promise<KillTimes> {
  const readyMs: number[] = []
  for (let n = 0; n < loops; n++) {
    await sleep(randomDelayMs())
    await redis.kill('SIGKILL')
    await sleep(1_000 * Math.random())
    const startedAt = performance.now()
    await redis.start()
    await Promise.all(cluster.clients.map(waitUntilReady))
    readyMs.push(performance.now() - startedAt)
    assertRunning([...cluster.apis, ...cluster.workers])
  }
  return { readyMs }
}

/** Kills all workers twice during the push of one change, which must complete with the third attempt. */
export async function killWorkers(
  cluster: Cluster,
  unit: ListedUnit,
  loops: number,
): Promise<KillTimes & { pushMs: number[] }> {
  const readyMs: number[] = []
  const pushMs: number[] = []
  for (let n = 0; n < loops; n++) {
    const cents = 50_000 + n
    await waitUntilSynced(cluster, unit)
    await callPmsControl(cluster, 'PUT', 'faults', {
      property: unit.targetId,
      external_id: unit.externalId,
      mode: 'hang',
    })
    const before = await lastCall(cluster)
    const body = { base_price_cents: cents }
    await cluster.clients[0]!.attempt({ method: 'PATCH', path: `/api/v1/units/${unit.unitId}`, body })
    for (const times of [1, 2]) {
      await until('the push hangs', async () => (await countHangingCalls(cluster, unit, before)) >= times)
      await Promise.all(cluster.workers.map((worker) => worker.kill('SIGKILL')))
      if (times === 2) await callPmsControl(cluster, 'DELETE', 'faults')
      readyMs.push(...(await Promise.all(cluster.workers.map((worker) => worker.start()))))
    }
    const startedAt = performance.now()
    await waitUntilSynced(cluster, unit)
    pushMs.push(performance.now() - startedAt)
    const shown = await fetch(
      `${cluster.sandbox.pmsUrl}/properties/${unit.targetId}/units/${unit.externalId}`,
    )
    const { unit: unitAtPms } = (await shown.json()) as { unit: { base_price_cents: number } }
    if (unitAtPms.base_price_cents !== cents)
      throw new Error(`After two kills the PMS shows ${unitAtPms.base_price_cents}, not ${cents}.`)
  }
  return { readyMs, pushMs }
}

/** Stops the load, waits until all work is done, and checks the ledger. */
export async function verifyLedger(cluster: Cluster, load: Load, seconds = 180): Promise<Finding[]> {
  await load.stop()
  const { left } = await settle(cluster, load.ledger, seconds)
  const findings = await checkLedger(cluster, load.ledger)
  return left.length === 0
    ? findings
    : [...findings, { name: 'all work is done in time', passed: false, details: left.join(', ') }]
}

/** Where a commit of the database itself takes as many milliseconds, the machine is overloaded: requests may fail without a fault. */
export const busyMs = 250

/**
 * The slowest commit, in ms, of a direct connection to PostgreSQL during the work, with the time by which this process
 * came late to send it. A machine whose disk or processors stand still for a second makes requests fail with a 503 that
 * no restart has caused.
 */
export async function slowestCommit(cluster: Cluster, work: () => Promise<unknown>): Promise<number> {
  let slowestMs = 0
  let isOver = false
  const working = work().finally(() => (isOver = true))
  // Awaited below, after the commit that is under way.
  working.catch(() => {})
  while (!isOver) {
    const dueAt = performance.now() + 50
    await sleep(50)
    const commit = cluster.query(sql`select pg_logical_emit_message(true, 'chaos', '')`)
    const ms = await commit.then(
      () => performance.now() - dueAt,
      () => Infinity,
    )
    slowestMs = Math.max(slowestMs, ms)
  }
  await working
  return slowestMs
}

const randomDelayMs = () => 300 + 900 * Math.random()

export async function waitUntilReady(client: TestCaller): Promise<void> {
  await until('a response', async () => {
    const outcome = await client.attempt({ method: 'GET', path: '/api/v1/units?limit=1' })
    return outcome.kind === 'answered' && outcome.status === 200
  })
}

function assertRunning(parts: readonly ManagedProcess[]): void {
  for (const part of parts)
    if (!part.isRunning()) throw new Error(`The ${part.name} has ended: ${part.logTail()}`)
}

async function waitUntilSynced(cluster: Cluster, { listingId }: ListedUnit): Promise<void> {
  await until('the listing is in sync', async () => {
    const [row] = await cluster.query(
      sql<{ done: boolean }>`select status = 'completed' and wanted_version = synced_version as done
        from listing_syncs where channel_listing_id = ${listingId}`,
    )
    return row?.done ?? false
  })
}

/** The number of the last call that arrived at the PMS. */
async function lastCall(cluster: Cluster): Promise<number> {
  const { last } = (await callPmsControl(cluster, 'GET', `calls?after=${Number.MAX_SAFE_INTEGER}`)) as {
    last: number
  }
  return last
}

/** Counts the calls for the unit after that one which the PMS has not answered. It keeps only the last 20,000. */
async function countHangingCalls(
  cluster: Cluster,
  { targetId, externalId }: ListedUnit,
  after: number,
): Promise<number> {
  const { calls } = (await callPmsControl(cluster, 'GET', `calls?after=${after}`)) as {
    calls: {
      method: string
      property: string
      external_id: string
      status: number | null
      fault: string | null
    }[]
  }
  return calls.filter(
    (call) => call.property === targetId && call.external_id === externalId && call.fault === 'hang',
  ).length
}

async function callPmsControl(
  cluster: Cluster,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${cluster.sandbox.pmsUrl}/_control/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${text}`)
  return text ? JSON.parse(text) : null
}

export async function until(what: string, condition: () => Promise<boolean>, seconds = 90): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`After ${seconds} s this was still awaited: ${what}.`)
    await sleep(20)
  }
}
