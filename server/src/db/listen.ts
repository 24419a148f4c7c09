import pg from 'pg'
import { streamOf } from './silence.ts'

/** What to do with the payload of a notification, by channel. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

/** Nobody asks anything on a connection that listens, so it is asked: else its death would go unnoticed for hours. */
export const pulseBounds = { everyMs: 2_000, answerMs: 2_000 } as const

const pauseMs = 1_000

interface Listening {
  readonly settings: pg.ClientConfig
  readonly heard: Channels
  /** The connection was lost and is back: what was said meanwhile is not repeated. */
  readonly missed: () => void
  readonly onError: (error: Error) => void
}

/** Listens on a connection of its own, comes back after a loss, and stops when the answer is called. */
export async function listen({ settings, heard, missed, onError }: Listening): Promise<() => Promise<void>> {
  let current: pg.Client | undefined
  let isClosed = false
  let again: NodeJS.Timeout | undefined
  let pulse: NodeJS.Timeout | undefined

  const lost = (client: pg.Client) => {
    if (client !== current) return
    current = undefined
    clearInterval(pulse)
    if (!isClosed) again = setTimeout(() => void connect().then(missed, () => {}), pauseMs)
  }
  const connect = async () => {
    const client = new pg.Client({ ...settings, statement_timeout: 0, query_timeout: pulseBounds.answerMs })
    current = client
    client.on('error', (error) => {
      onError(error)
      lost(client)
    })
    client.on('end', () => lost(client))
    client.on('notification', ({ channel, payload }) => heard[channel]?.(payload ?? ''))
    try {
      await client.connect()
      for (const channel of Object.keys(heard)) await client.query(`listen ${channel}`)
    } catch (error) {
      client.end().catch(() => {})
      lost(client)
      throw error
    }
    if (isClosed) return await client.end()
    pulse = setInterval(() => {
      client.query('select 1').catch((error: Error) => streamOf(client).destroy(error))
    }, pulseBounds.everyMs)
  }

  await connect().catch((error: unknown) => {
    isClosed = true
    clearTimeout(again)
    throw error
  })
  return async () => {
    isClosed = true
    clearTimeout(again)
    clearInterval(pulse)
    const client = current
    if (!client) return
    // A farewell to a database that is away would be waited for in vain.
    const late = setTimeout(() => streamOf(client).destroy(), pauseMs)
    await client.end()
    clearTimeout(late)
  }
}
