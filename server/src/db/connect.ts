import pg from 'pg'
import { connectionSettings, refusesOptions, type DatabaseOptions } from './connection-settings.ts'
import { listen, type Channels, type Listener } from './listen.ts'
import { statementName } from './prepared.ts'
import { streamOf, watchSilence } from './silence.ts'
import { compiled, openingOf, type Statement, type Text } from './statements.ts'

export type { DatabaseOptions, Statement }

/** One connection inside a transaction. */
export interface Connection {
  run<Row>(statement: Statement<Row>): Promise<Row[]>
  /** For libraries that bring their own text, such as the queue. */
  raw(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /**
   * Leaves with the commit, in one packet: for what is written and looked at by nobody in this transaction. What fails
   * there undoes all of it; what others wait for, such as the key of a job, is held for no longer than the commit takes.
   */
  last(statement: Statement | Text): void
  /** Sends what would have left with the commit, for who has to see it. */
  flush(): Promise<void>
}

export interface Database {
  /** Runs the statements in one transaction and one round trip; `settings` are local to it. */
  pipelined(settings: Settings, statements: (Statement | Text)[]): Promise<unknown[][]>
  transaction<T>(settings: Settings, work: (connection: Connection) => Promise<T>): Promise<T>
  /**
   * Calls back for each notification of these channels, on one direct connection, until it is stopped; `missed` when
   * some may have been lost: they are not repeated.
   */
  listen(heard: Channels, missed: () => void): Promise<Listener>
  stats(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** Settings of one transaction: the organization it acts for and whom the rows are shown to. */
export interface Settings {
  orgId: string | null
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({ ...connectionSettings(options), max: options.poolSize })
  pool.on('error', options.onError)
  // One that dies between the pool's hands and ours has nobody else to listen; whoever asks on it next is told.
  pool.on('connect', (client) => client.on('error', () => {}))
  const endWatch = watchSilence(pool, connectionSettings(options))
  const acquire = () =>
    pool.connect().catch((error: unknown) => {
      if (!refusesOptions(error)) throw error
      pool.options.options = ''
      return pool.connect()
    })
  // Without values it may be several statements, which cannot have a name.
  const named = (text: string, values: readonly unknown[]) => {
    const name = options.prepare && values.length > 0 ? statementName(text) : undefined
    return { text, values: [...values], ...(name && { name }) }
  }
  const send = (client: pg.PoolClient, statement: Statement | Text) => {
    const { text, values = [] } = 'text' in statement ? statement : compiled(statement)
    inOneWrite(client)
    return client.query(named(text, values))
  }
  const { role, statementTimeoutMs, prepare, plansOnce = false } = options
  const openings = {
    read: openingOf({ role, statementTimeoutMs, planOnce: prepare && plansOnce }),
    write: openingOf({ role, statementTimeoutMs, planOnce: prepare }),
  }
  const begin = (client: pg.PoolClient, { orgId }: Settings, text: string) => {
    inOneWrite(client)
    return [client.query('begin'), client.query(named(text, [orgId ?? '']))]
  }
  const database: Database = {
    async pipelined(settings, statements) {
      const client = await acquire()
      return await settle(client, async () => {
        const opened = begin(client, settings, openings.read)
        const sent = statements.map((statement) => send(client, statement))
        const results = await Promise.allSettled([...opened, ...sent, client.query('commit')])
        for (const result of results) if (result.status === 'rejected') throw result.reason
        return results
          .slice(2, -1)
          .map((result) => rowsOf((result as PromiseFulfilledResult<pg.QueryResult>).value))
      })
    },
    async transaction(settings, work) {
      const client = await acquire()
      return await settle(client, async () => {
        const opened = Promise.all(begin(client, settings, openings.write))
        opened.catch(() => {})
        const late: (Statement | Text)[] = []
        let isOver = false
        const refuseWhenOver = () => {
          if (isOver) throw new Error('The transaction is over: nobody waited for this statement.')
        }
        const ask = (statement: Statement | Text) => {
          refuseWhenOver()
          return send(client, statement)
        }
        const flush = () => Promise.all(late.splice(0).map(ask))
        try {
          const result = await work({
            run: async <Row>(statement: Statement<Row>) => (await ask(statement)).rows as Row[],
            raw: async (text, values) => await ask({ text, values }),
            last(statement) {
              refuseWhenOver()
              late.push(statement)
            },
            flush: async () => void (await flush()),
          })
          await opened
          const written = flush()
          isOver = true
          // Once one of the last statements has failed, the commit behind it is a rollback.
          const [, { command }] = await Promise.all([written, client.query('commit')])
          if (command !== 'COMMIT') throw new Error('The transaction was rolled back by the database.')
          return result
        } catch (error) {
          await client.query('rollback').catch(() => {}) // a lost connection has rolled back by itself
          throw error
        } finally {
          isOver = true
        }
      })
    },
    listen: (heard, missed) =>
      listen({
        ...{ url: options.directUrl ?? options.url, applicationName: options.applicationName },
        ...{ heard, missed, onError: options.onError },
        notify: async (channel) => {
          await database.pipelined({ orgId: null }, [
            { text: 'select pg_notify($1, $2)', values: [channel, ''] },
          ])
        },
      }),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await pool.end()
      endWatch()
    },
  }
  return database
}

/** A text of several statements is answered by several results. */
const rowsOf = (result: pg.QueryResult | pg.QueryResult[]): unknown[] =>
  [result].flat().flatMap(({ rows }) => rows as unknown[])

/** Queries sent in this turn leave in one packet: a write to the socket costs more than the query behind it. */
function inOneWrite(client: pg.PoolClient): void {
  const stream = streamOf(client)
  if (gathering.has(stream)) return
  gathering.add(stream)
  stream.cork()
  process.nextTick(() => {
    gathering.delete(stream)
    stream.uncork()
  })
}
const gathering = new WeakSet<object>()

/** A connection that broke is not given back to the pool. */
async function settle<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  let broken: Error | undefined
  const onError = (error: Error) => (broken = error)
  client.on('error', onError)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'severity' in error) && isConnectionLoss(error)) broken = error as Error
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** Errors of the driver and the socket, as opposed to answers of the database. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (
    typeof code === 'string' &&
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_|08|57P0[123])/.test(code)
  )
    return true
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable/i.test(
    error.message,
  )
}
