import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import pg from 'pg'

/**
 * After `silentMs` without any data, the database is probed with a new connection that must be answered within
 * `probeTimeoutMs`. The sum is the longest that a request waits when the network drops everything. A machine under ten
 * times its load takes more than a second to accept a connection, and closing all others would add to that load.
 */
export const liveness = { silentMs: 1_000, probeTimeoutMs: 3_000, checkIntervalMs: 200 } as const

/** A connection of a pool, for as long as it lives. */
interface PooledConnection {
  readonly stream: Socket
  /** It is used for nothing more. */
  failure: Error | undefined
  /** How many packets it has not answered, and when it answered last, or was sent the first of them. */
  unanswered: number
  since: number
  isLate: boolean
}

const connections = new WeakMap<pg.Client | pg.PoolClient, PooledConnection>()

/** Why the connection of the client cannot be used any more. */
export const failureOf = (client: pg.PoolClient) => connections.get(client)?.failure

export function recordFailure(client: pg.PoolClient, error: Error): void {
  const connection = connections.get(client)
  if (connection) connection.failure ??= error
}

export function recordSent(client: pg.PoolClient): void {
  const connection = connections.get(client)
  if (connection && connection.unanswered++ === 0) connection.since = performance.now()
}

export function recordAnswered(client: pg.PoolClient): void {
  const connection = connections.get(client)
  if (!connection) return
  connection.unanswered--
  connection.since = performance.now()
}

/**
 * Detects a database that no longer answers. A network that drops packets leaves connections open, and a statement may
 * be slow for good reasons. So when a client waits and no connection of the pool has received data for a while, a new
 * connection is tried. If it fails, all connections of the pool are destroyed: waiting callers fail within seconds
 * instead of at the statement timeout, and no dead connection is taken from the pool again.
 *
 * A connection that has not answered for `answerTimeoutMs` is destroyed although the database answers others. The driver
 * can do that too, with a timer for each statement, which outlives its statement until the next full garbage collection.
 */
export function watchLiveness(
  pool: pg.Pool,
  probeConfig: pg.ClientConfig,
  answerTimeoutMs: number,
): { stop(): void; disconnect(): void } {
  const open = new Set<PooledConnection>()
  let lastDataAt = performance.now()
  let lastProbeAt = 0
  let clientsInUse = 0
  const onData = () => {
    lastDataAt = performance.now()
  }
  pool.on('connect', (client) => {
    const stream = streamOf(client)
    const connection = { stream, failure: undefined, unanswered: 0, since: 0, isLate: false }
    connections.set(client, connection)
    open.add(connection)
    stream.on('data', onData)
    stream.once('close', () => open.delete(connection))
    // Without a listener, the failure of a client that is not in use would end the process. One listener for its life: what
    // is added and removed for each use outlives it until the next full garbage collection.
    client.on('error', (error) => recordFailure(client, error))
  })
  pool.on('acquire', () => {
    if (clientsInUse++ === 0) onData()
  })
  // Clients acquired before the watch began were not counted.
  pool.on('release', () => void (clientsInUse = Math.max(0, clientsInUse - 1)))

  const destroyLate = () => {
    const limit = performance.now() - answerTimeoutMs
    for (const connection of open) {
      const isLate = connection.unanswered > 0 && connection.since < limit
      // After a pause of this process its timers run before its sockets: at the next check the answer has been read.
      if (isLate && connection.isLate)
        connection.stream.destroy(new Unresponsive('The database has not answered a statement in time.'))
      connection.isLate = isLate
    }
  }
  const check = async () => {
    destroyLate()
    const now = performance.now()
    if (clientsInUse === 0 || now - Math.max(lastDataAt, lastProbeAt) < liveness.silentMs) return
    const lastDataBefore = lastDataAt
    lastProbeAt = Infinity
    const isAlive = await acceptsConnections(probeConfig)
    lastProbeAt = performance.now()
    // The same after a pause: the answers may have arrived, unread.
    const wasPaused = lastProbeAt - now > liveness.probeTimeoutMs + liveness.checkIntervalMs
    if (isAlive || wasPaused || lastDataAt !== lastDataBefore) return
    disconnect()
  }
  const disconnect = () => {
    for (const { stream } of open) stream.destroy(new Unresponsive('The database does not respond.'))
  }
  const timer = setInterval(() => void check(), liveness.checkIntervalMs).unref()
  return { stop: () => clearInterval(timer), disconnect }
}

/** Carries the code of a timed-out connection, so that callers treat it as a lost connection. */
class Unresponsive extends Error {
  readonly code = 'ETIMEDOUT'
}

/** Any answer of the server counts, also a refusal such as "too many connections". */
async function acceptsConnections(probeConfig: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...probeConfig, connectionTimeoutMillis: liveness.probeTimeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    return 'severity' in (error as Error)
  } finally {
    client.end().catch(() => {})
  }
}

/** The socket of a client. The driver has no public member for it. */
export const streamOf = (client: pg.Client | pg.PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream
