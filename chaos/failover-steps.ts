import { sql } from '../server/src/db/sql.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { callerFor } from '../server/test/caller.ts'
import type { Cluster } from './cluster.ts'
import type { FailoverCluster } from './failover-cluster.ts'
import { postUntilCreated, type Fixtures } from './fixtures.ts'
import { until } from './kills.ts'
import type { Finding } from './ledger.ts'
import type { KilledPart, PatroniCluster } from './patroni.ts'
import { formatTimes } from './scenario.ts'

const killedParts: readonly KilledPart[] = ['postgres', 'patroni', 'machine']

/** Kills the leader again and again, each time when the database is redundant. */
export async function killLeaders(options: {
  patroni: PatroniCluster
  count: number
  /** When the load received the response of a write. */
  writtenAt: readonly number[]
  beforeEach(): Promise<unknown>
  afterEach(): Promise<unknown>
}) {
  const { patroni, count, writtenAt } = options
  /** The longest time without an acknowledged write, for each kill: its begin and its end. */
  const away: Gap[] = []
  let leaderChanges = 0
  for (let n = 0; n < count; n++) {
    await until('a synchronous standby', () => patroni.isRedundant())
    await options.beforeEach()
    const part = killedParts[n % killedParts.length]!
    const leader = (await patroni.findLeader())!
    const pid = leader.postmasterPid()
    const before = writtenAt.length
    await leader.kill(part)
    await until('a leader', async () => {
      const next = await patroni.findLeader()
      if (next === undefined) return false
      // A slow machine may start PostgreSQL again before its standby can take over.
      return next !== leader || (part === 'postgres' && leader.postmasterPid() !== pid)
    })
    if (part !== 'postgres') await leader.patroni.start()
    await options.afterEach()
    away.push(maxGap(writtenAt.slice(Math.max(0, before - 1))))
    if ((await patroni.findLeader()) !== leader) leaderChanges++
  }
  return { away, leaderChanges }
}

type Gap = readonly [from: number, to: number]

export const msOf = ([from, to]: Gap): number => to - from

const maxGap = (times: readonly number[]): Gap =>
  times
    .slice(1)
    .map((time, at): Gap => [times[at]!, time])
    .reduce((longest, gap) => (msOf(gap) > msOf(longest) ? gap : longest), [0, 0])

/**
 * Kills the primary of Redis while requests are counted against their limits, and waits until they are again. Returns
 * how many of those requests got a 503.
 */
export async function failRedisOver({ cluster, sentinels }: FailoverCluster): Promise<number> {
  const client = callerFor(cluster.clients[0]!.url, await cluster.token())
  const isOver = new AbortController()
  const statuses: number[] = []
  const counting = (async () => {
    while (!isOver.signal.aborted) {
      statuses.push((await client.get('/api/v1/spaces?limit=1')).status)
      await sleep(200)
    }
  })()
  counting.catch(() => {})
  const isCounted = async () => (await client.get('/health')).body.checks?.redis === 'healthy'
  try {
    await until('Redis is reachable', isCounted)
    await sentinels.killPrimary()
    await until('Redis is missed', async () => !(await isCounted()))
    await until('Redis has another primary', isCounted)
  } finally {
    isOver.abort()
  }
  await counting
  const others = statuses.filter((status) => ![200, 503].includes(status))
  if (others.length > 0) throw new Error(`Counted requests received ${others.join(', ')}.`)
  return statuses.filter((status) => status === 503).length
}

/** Holds that expire while the leader is away: every worker looks for them. */
export function startHolds(cluster: Cluster, { wide: [unit] }: Fixtures) {
  const ids: string[] = []
  const countChanges = () =>
    cluster.query(
      sql<{ status: string; times: number }>`
        select booking.status,
          (select count(*) from events event
            where event.subject_id = booking.id and event.data #>> '{booking,status}' = 'expired')::int as times
        from bookings booking
        where booking.id = any(${ids}::uuid[])`,
    )
  return {
    async add() {
      const stay = { unitId: unit!.unitId, checkIn: '2031-03-01', checkOut: '2031-03-02' }
      const body = { ...stay, guestName: `Hold ${ids.length}`, status: 'pending' }
      const id = (await postUntilCreated(cluster, 'bookings', body)).booking.id as string
      await cluster.query(
        sql`update bookings set hold_expires_at = now() - interval '1 minute' where id = ${id}::uuid`,
      )
      ids.push(id)
    },
    async waitUntilExpired() {
      await until('every hold has expired', async () =>
        (await countChanges()).every(({ status }) => status === 'expired'),
      )
    },
    async verify(): Promise<Finding> {
      const rows = await countChanges()
      const details = `${ids.length} holds, ${rows.filter(({ times }) => times !== 1).length} not once`
      return { name: 'schedules run once', passed: rows.every(({ times }) => times === 1), details }
    },
  }
}

const clientCount = 2_000

/** Sends a transaction on each of many connections to PgBouncer, beside the load. */
export async function openManyConnections({
  poolerUrl,
  poolerConsoleUrl,
  cluster,
}: FailoverCluster): Promise<Finding[]> {
  await using resources = new AsyncDisposableStack()
  const connect = async (connectionString: string) => {
    const client = new pg.Client({ connectionString, application_name: 'many' })
    client.on('error', () => {})
    await client.connect()
    resources.defer(() => client.end().catch(() => {}))
    return client
  }
  const clients: pg.Client[] = []
  while (clients.length < clientCount)
    clients.push(...(await Promise.all(Array.from({ length: 50 }, () => connect(poolerUrl)))))
  const console = await connect(poolerConsoleUrl)
  const countServers = async () => {
    const { rows } = await console.query<{ list: string; items: string }>('show lists')
    const items = (name: string) => Number(rows.find(({ list }) => list === name)!.items)
    // Those that are free are structures without a connection.
    return { clients: items('used_clients'), servers: items('used_servers') }
  }
  const times: number[] = []
  const requestTimes: number[] = []
  const most = { clients: 0, servers: 0 }
  const work: Promise<unknown>[] = []
  for (let n = 0; n < 2 * clientCount; n++) {
    const startedAt = performance.now()
    const query = clients[n % clientCount]!.query('begin; select count(*) from units; commit')
    work.push(query.then(() => times.push(performance.now() - startedAt)))
    if (n % 10 === 0) {
      work.push(
        cluster.clients[0]!.attempt({ method: 'GET', path: '/api/v1/units?limit=20' }).then((outcome) =>
          requestTimes.push(outcome.kind === 'answered' && outcome.status === 200 ? outcome.ms : Infinity),
        ),
      )
      const counts = await countServers()
      most.clients = Math.max(most.clients, counts.clients)
      most.servers = Math.max(most.servers, counts.servers)
    }
    await sleep(10)
  }
  await Promise.all(work)
  const p95 = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? Infinity
  const [transactions, requests] = [p95(times), p95(requestTimes)]
  return [
    {
      name: '2,000 client connections on at most 40 server connections',
      passed: most.clients >= clientCount && most.servers <= 40,
      details: `${most.clients} on ${most.servers}`,
    },
    {
      name: 'p95 below 500 ms',
      passed: transactions < 500 && requests < 500,
      details: `transactions ${Math.round(transactions)} ms, requests ${Math.round(requests)} ms, ${requestTimes.filter((ms) => ms === Infinity).length} failed; ${formatTimes(requestTimes)}`,
    },
  ]
}
