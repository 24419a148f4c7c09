import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import pg from 'pg'

/**
 * After `silentMs` without any data, the database is probed with a new connection that must be answered within
 * `probeTimeoutMs`. The sum is the longest that a request waits when the network drops everything. A machine under ten
 * times its load takes more than a second to accept a connection, and closing all others would add to that load.
 */
export const liveness = { silentMs: 1_000, probeTimeoutMs: 3_000, checkIntervalMs: 200 } as const

/**
 * Detects a database that no longer answers. A network that drops packets leaves connections open, and a statement may
 * be slow for good reasons. So when a client waits and no connection of the pool has received data for a while, a new
 * connection is tried. If it fails, all connections of the pool are destroyed: waiting callers fail within seconds
 * instead of at the statement timeout, and no dead connection is taken from the pool again.
 */
export function watchLiveness(pool: pg.Pool, probeConfig: pg.ClientConfig): () => void {
  const streams = new Set<Socket>()
  let lastDataAt = performance.now()
  let lastProbeAt = 0
  let clientsInUse = 0
  const onData = () => {
    lastDataAt = performance.now()
  }
  const track = (stream: Socket) => {
    streams.add(stream)
    stream.on('data', onData)
    stream.once('close', () => streams.delete(stream))
  }
  pool.on('acquire', (client) => {
    const stream = streamOf(client)
    if (!streams.has(stream)) track(stream)
    if (clientsInUse++ === 0) onData()
  })
  // Clients acquired before the watch began were not counted.
  pool.on('release', () => void (clientsInUse = Math.max(0, clientsInUse - 1)))

  const check = async () => {
    const now = performance.now()
    if (clientsInUse === 0 || now - Math.max(lastDataAt, lastProbeAt) < liveness.silentMs) return
    const lastDataBefore = lastDataAt
    lastProbeAt = Infinity
    const isAlive = await acceptsConnections(probeConfig)
    lastProbeAt = performance.now()
    // After a pause of this process its timers run before its sockets: the answers may have arrived, unread.
    const wasPaused = lastProbeAt - now > liveness.probeTimeoutMs + liveness.checkIntervalMs
    if (isAlive || wasPaused || lastDataAt !== lastDataBefore) return
    for (const stream of streams) stream.destroy(new Unresponsive('The database does not respond.'))
  }
  const timer = setInterval(() => void check(), liveness.checkIntervalMs).unref()
  return () => clearInterval(timer)
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
