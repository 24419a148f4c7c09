import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientSettings } from './connection-settings.ts'
import { streamOf } from './silence.ts'

/** What to do with the payload of a notification, by channel. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

export interface Listener {
  /** Whether notifications arrive: the process has heard its own heartbeat. */
  isHearing(): boolean
  stop(): Promise<void>
}

/** Nobody asks anything on a connection that listens, so it is asked: else its death would go unnoticed for hours. */
export const pulseBounds = { everyMs: 2_000, answerMs: 2_000 } as const

/**
 * A connection may live and hear nothing: a pooler in transaction mode accepts `listen` and forgets it. So the process
 * notifies itself, by the way that its notifications take, and a heartbeat that is not heard in time means that none are.
 */
export const heartbeatBounds = { everyMs: 5_000, arrivesWithinMs: 3_000 } as const

const pauseMs = 1_000
const firstHeartbeatMs = 2_000

interface Listening {
  /** Leads to PostgreSQL itself, or to a pooler that keeps a session for each client. */
  readonly url: string
  readonly applicationName: string
  readonly heard: Channels
  /** Notifications may have been lost; they are not repeated. While none arrive, called again and again. */
  readonly missed: () => void
  /** Notifies a channel through the pool, as whoever has something to tell does. */
  readonly notify: (channel: string) => Promise<void>
  readonly onError: (error: Error) => void
}

/** Listens on a connection of its own, comes back after a loss, and stops when it is told to. */
export async function listen(listening: Listening): Promise<Listener> {
  const { url, applicationName, heard, missed, notify, onError } = listening
  const heartbeat = `heartbeat_${randomBytes(8).toString('hex')}`
  const firstHeartbeat = Promise.withResolvers<void>()
  let current: pg.Client | undefined
  let isClosed = false
  let hasHeard = false
  let heartbeats = 0
  /** When the oldest heartbeat was sent that has not arrived. */
  let beatingSince: number | undefined
  let again: NodeJS.Timeout | undefined
  let pulse: NodeJS.Timeout | undefined

  const lost = (client: pg.Client) => {
    if (client !== current) return
    current = undefined
    hasHeard = false
    beatingSince = undefined
    clearInterval(pulse)
    if (!isClosed) again = setTimeout(() => void connect().then(missed, () => {}), pauseMs)
  }
  const connect = async () => {
    const client = new pg.Client({
      ...clientSettings(url, applicationName),
      query_timeout: pulseBounds.answerMs,
    })
    current = client
    client.on('error', (error) => {
      onError(error)
      lost(client)
    })
    client.on('end', () => lost(client))
    client.on('notification', ({ channel, payload }) => {
      if (channel !== heartbeat) return heard[channel]?.(payload ?? '')
      heartbeats++
      beatingSince = undefined
      hasHeard = true
      firstHeartbeat.resolve()
    })
    try {
      await client.connect()
      for (const channel of [...Object.keys(heard), heartbeat]) await client.query(`listen ${channel}`)
    } catch (error) {
      client.end().catch(() => {})
      lost(client)
      throw error
    }
    if (isClosed) return await client.end()
    pulse = setInterval(() => {
      client.query('select 1').catch((error: Error) => streamOf(client).destroy(error))
    }, pulseBounds.everyMs)
    beat()
  }
  const isLate = () =>
    beatingSince !== undefined && performance.now() - beatingSince >= heartbeatBounds.arrivesWithinMs
  const isHearing = () => hasHeard && !isLate()
  const beat = () => {
    const client = current
    if (!client) return
    if (isLate())
      // Perhaps only the session was lost, behind a pooler: the next connection listens anew.
      return void streamOf(client).destroy(new Error(unheard))
    const heardBefore = heartbeats
    // One that could not be sent says nothing of those who listen.
    notify(heartbeat).then(
      () => {
        if (client === current && heartbeats === heardBefore) beatingSince ??= performance.now()
      },
      () => {},
    )
  }

  await connect().catch((error: unknown) => {
    isClosed = true
    clearTimeout(again)
    throw error
  })
  const beats = setInterval(() => {
    if (!isHearing()) missed()
    beat()
  }, heartbeatBounds.everyMs)
  await Promise.race([firstHeartbeat.promise, sleep(firstHeartbeatMs, undefined, { ref: false })])
  return {
    isHearing,
    async stop() {
      isClosed = true
      clearTimeout(again)
      clearInterval(pulse)
      clearInterval(beats)
      const client = current
      if (!client) return
      // A farewell to a database that is away would be waited for in vain.
      const late = setTimeout(() => streamOf(client).destroy(), pauseMs)
      await client.end()
      clearTimeout(late)
    },
  }
}

const unheard =
  'Notifications do not arrive on the connection that listens for them: DATABASE_DIRECT_URL must lead to PostgreSQL itself, not to a pooler in transaction mode.'
