import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import pg from 'pg'

/**
 * How long a database may say nothing to those who wait for it, and how long it may then take to greet a newcomer.
 * Together they are what a request waits at the most when the database is away without a word.
 */
export const silenceBounds = { suspiciousMs: 1_000, greetingMs: 1_000, lookEveryMs: 200 } as const

/**
 * Watches the connections of a pool. A network that swallows everything leaves them open, and a statement may take
 * long for good reasons, so when somebody waits and nothing at all was heard for a while, the database is asked whether
 * it greets a new connection. When it does not, all connections are broken: those who wait are told within
 * seconds, not when the time-out of their statement is over, and nobody takes a dead connection from the pool.
 */
export function watchSilence(pool: pg.Pool, newcomer: pg.ClientConfig): () => void {
  const streams = new Set<Socket>()
  let heardAt = performance.now()
  let lookedAt = 0
  let waiting = 0
  const heard = () => {
    heardAt = performance.now()
  }
  const follow = (stream: Socket) => {
    streams.add(stream)
    stream.on('data', heard)
    stream.once('close', () => streams.delete(stream))
  }
  pool.on('acquire', (client) => {
    const stream = streamOf(client)
    if (!streams.has(stream)) follow(stream)
    if (waiting++ === 0) heard()
  })
  // Whoever was served before the watch began is not counted.
  pool.on('release', () => void (waiting = Math.max(0, waiting - 1)))

  const cut = () => {
    for (const stream of streams) stream.destroy(new Silent('The database has fallen silent.'))
  }
  const look = async () => {
    const now = performance.now()
    if (waiting === 0 || now - Math.max(heardAt, lookedAt) < silenceBounds.suspiciousMs) return
    const before = heardAt
    lookedAt = Infinity
    const isThere = await greets(newcomer)
    lookedAt = performance.now()
    if (!isThere && heardAt === before) cut()
  }
  const timer = setInterval(() => void look(), silenceBounds.lookEveryMs).unref()
  return () => clearInterval(timer)
}

/** Its code is that of a connection which the network has given up. */
class Silent extends Error {
  readonly code = 'ETIMEDOUT'
}

/** An answer is a greeting whatever it says: that there is no connection free, for one. */
async function greets(newcomer: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...newcomer, connectionTimeoutMillis: silenceBounds.greetingMs })
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

/** The driver keeps it to itself. */
export const streamOf = (client: pg.Client | pg.PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream
