import pg from 'pg'
import { listen, type Channels } from './listen.ts'
import { statementName } from './prepared.ts'
import { streamOf, watchSilence } from './silence.ts'
import { compiled, opening, type Statement, type Text } from './statements.ts'

export type { Statement }

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
  pipelined(settings: Settings, statements: Statement[]): Promise<unknown[][]>
  transaction<T>(settings: Settings, work: (connection: Connection) => Promise<T>): Promise<T>
  /**
   * Calls back for each notification of these channels, on one connection, until it is stopped; `missed` when the
   * connection was lost and is back: what was said meanwhile is not repeated.
   */
  listen(heard: Channels, missed: () => void): Promise<() => Promise<void>>
  stats(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** Settings of one transaction: the organization it acts for and whom the rows are shown to. */
export interface Settings {
  orgId: string | null
}

export interface DatabaseOptions {
  url: string
  poolSize: number
  /** The role that every statement runs under; null keeps the login's own. */
  role: string | null
  statementTimeoutMs: number
  prepare: boolean
  /**
   * Plans each statement once, for whatever values: for who says the same few things again and again. Left to itself,
   * PostgreSQL plans anew for each list of ids that is short, which costs more than most of these statements.
   * Transactions are always like that; of reads it is said here.
   */
  plansOnce?: boolean
  applicationName: string
  onError(error: Error): void
}

// Dates stay the strings that PostgreSQL sends; a timestamp becomes the contract's ISO form.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.DATE, (text) => text],
  [pg.types.builtins.INT8, (text) => Number(text)],
  [pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString()],
])
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? (pg.types.getTypeParser as (o: number, f?: string) => unknown)(oid, format),
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({ ...connectionSettings(options), max: options.poolSize })
  pool.on('error', options.onError)
  // One that dies between the pool's hands and ours has nobody else to listen; whoever asks on it next is told.
  pool.on('connect', (client) => client.on('error', () => {}))
  const endWatch = watchSilence(pool, connectionSettings(options))
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
  const begin = (client: pg.PoolClient, { orgId }: Settings, settings: keyof typeof opening) => {
    inOneWrite(client)
    return [
      client.query('begin'),
      client.query({
        ...(options.prepare && { name: settings }),
        text: opening[options.prepare ? settings : 'set-org'],
        values: [orgId ?? ''],
      }),
    ]
  }
  return {
    async pipelined(settings, statements) {
      const client = await pool.connect()
      return await settle(client, async () => {
        const opened = begin(client, settings, 'set-org')
        const sent = statements.map((statement) => send(client, statement))
        const results = await Promise.allSettled([...opened, ...sent, client.query('commit')])
        for (const result of results) if (result.status === 'rejected') throw result.reason
        return results
          .slice(2, -1)
          .map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value.rows as unknown[])
      })
    },
    async transaction(settings, work) {
      const client = await pool.connect()
      return await settle(client, async () => {
        const opened = Promise.all(begin(client, settings, 'set-org-and-plan-once'))
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
      listen({ settings: connectionSettings(options), heard, missed, onError: options.onError }),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await pool.end()
      endWatch()
    },
  }
}

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

const connectionSettings = (options: DatabaseOptions): pg.ClientConfig & { pipeline: boolean } => ({
  connectionString: options.url,
  application_name: options.applicationName,
  connectionTimeoutMillis: 2_000,
  statement_timeout: options.statementTimeoutMs,
  query_timeout: options.statementTimeoutMs + 1_000,
  lock_timeout: Math.min(options.statementTimeoutMs, 5_000),
  // A session whose client has died unheard must not keep its locks for long.
  idle_in_transaction_session_timeout: Math.min(options.statementTimeoutMs, 15_000),
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  pipeline: true,
  types,
  options: [
    ...(options.role ? [`-c role=${options.role}`] : []),
    ...(options.plansOnce ? ['-c plan_cache_mode=force_generic_plan'] : []),
  ].join(' '),
})
