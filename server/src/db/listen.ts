import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientSettings } from './connection-settings.ts'
import { streamOf } from './liveness.ts'

/** Handles the payload of a notification, by channel. */
export type ChannelHandlers = Readonly<Record<string, (payload: string) => void>>

export interface Listener {
  /** Whether notifications arrive: the process has received its own heartbeat. */
  isReceiving(): boolean
  stop(): Promise<void>
}

/** A listening connection sends no statements, so its loss would go unnoticed for hours without a keepalive. */
const keepalive = { intervalMs: 2_000, timeoutMs: 2_000 } as const

/**
 * A connection can be alive and receive nothing: a pooler in transaction mode accepts `listen` and drops it. So the
 * process notifies itself through the pool; a heartbeat that does not arrive in time means that no notification does.
 */
const heartbeat = { intervalMs: 5_000, timeoutMs: 3_000 } as const

const reconnectDelayMs = 1_000
const firstHeartbeatTimeoutMs = 2_000
const closeTimeoutMs = 1_000

interface ListenOptions {
  /** Leads to PostgreSQL itself, or to a pooler in session mode. */
  readonly url: string
  readonly applicationName: string
  readonly handlers: ChannelHandlers
  /** Called when notifications may have been lost; they are not repeated. Called repeatedly while none arrive. */
  readonly onMissed: () => void
  /** Sends a notification through the pool, as other processes do. */
  readonly notify: (channel: string) => Promise<void>
  readonly onError: (error: Error) => void
  /** How long opening the connection may take; 2 s by default. */
  readonly connectTimeoutMs?: number | undefined
}

/** Listens on a connection of its own and reconnects after a loss, until it is stopped. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { url, applicationName, handlers, onMissed, notify, onError, connectTimeoutMs } = options
  const heartbeatChannel = `heartbeat_${randomBytes(8).toString('hex')}`
  const firstHeartbeat = Promise.withResolvers<void>()
  let current: pg.Client | undefined
  let isClosed = false
  let hasReceived = false
  let receivedCount = 0
  /** When the oldest heartbeat was sent that has not arrived. */
  let awaitingSince: number | undefined
  let reconnectTimer: NodeJS.Timeout | undefined
  let keepaliveTimer: NodeJS.Timeout | undefined

  const onLost = (client: pg.Client) => {
    if (client !== current) return
    current = undefined
    hasReceived = false
    awaitingSince = undefined
    clearInterval(keepaliveTimer)
    if (!isClosed)
      reconnectTimer = setTimeout(() => void connect().then(onMissed, () => {}), reconnectDelayMs)
  }
  const connect = async () => {
    const client = new pg.Client({
      ...clientSettings(url, applicationName),
      ...(connectTimeoutMs !== undefined && { connectionTimeoutMillis: connectTimeoutMs }),
      query_timeout: keepalive.timeoutMs,
    })
    current = client
    client.on('error', (error) => {
      onError(error)
      onLost(client)
    })
    client.on('end', () => onLost(client))
    client.on('notification', ({ channel, payload }) => {
      if (channel !== heartbeatChannel) return handlers[channel]?.(payload ?? '')
      receivedCount++
      awaitingSince = undefined
      hasReceived = true
      firstHeartbeat.resolve()
    })
    try {
      await client.connect()
      for (const channel of [...Object.keys(handlers), heartbeatChannel])
        await client.query(`listen ${channel}`)
    } catch (error) {
      client.end().catch(() => {})
      onLost(client)
      throw error
    }
    if (isClosed) return await client.end()
    keepaliveTimer = setInterval(() => {
      client.query('select 1').catch((error: Error) => streamOf(client).destroy(error))
    }, keepalive.intervalMs)
    sendHeartbeat()
  }
  const isOverdue = () =>
    awaitingSince !== undefined && performance.now() - awaitingSince >= heartbeat.timeoutMs
  const isReceiving = () => hasReceived && !isOverdue()
  const sendHeartbeat = () => {
    const client = current
    if (!client) return
    if (isOverdue())
      // Perhaps only the session behind a pooler was lost: the next connection listens again.
      return void streamOf(client).destroy(new Error(notReceivingMessage))
    const countBefore = receivedCount
    // A heartbeat that could not be sent says nothing about the listening connection.
    notify(heartbeatChannel).then(
      () => {
        if (client === current && receivedCount === countBefore) awaitingSince ??= performance.now()
      },
      () => {},
    )
  }

  await connect().catch((error: unknown) => {
    isClosed = true
    clearTimeout(reconnectTimer)
    throw error
  })
  const heartbeatTimer = setInterval(() => {
    if (!isReceiving()) onMissed()
    sendHeartbeat()
  }, heartbeat.intervalMs)
  await Promise.race([firstHeartbeat.promise, sleep(firstHeartbeatTimeoutMs, undefined, { ref: false })])
  return {
    isReceiving,
    async stop() {
      isClosed = true
      clearTimeout(reconnectTimer)
      clearInterval(keepaliveTimer)
      clearInterval(heartbeatTimer)
      const client = current
      if (!client) return
      // A database that does not answer would not close the connection either.
      const timer = setTimeout(() => streamOf(client).destroy(), closeTimeoutMs)
      await client.end()
      clearTimeout(timer)
    },
  }
}

const notReceivingMessage =
  'Notifications do not arrive on the listening connection. DATABASE_DIRECT_URL must lead to PostgreSQL itself, not to a pooler in transaction mode.'
