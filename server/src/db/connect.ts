import pg from 'pg'
import { acquireClient } from './acquire-client.ts'
import { batchTurns, sendBatch, sendSeveral, type BoundStatement } from './batch.ts'
import { connectionSettings, type DatabaseOptions, statementName } from './connection-settings.ts'
import { listen, type ChannelHandlers, type Listener } from './listen.ts'
import { failureOf, recordFailure, watchLiveness } from './liveness.ts'
import { openNotifier, type Notify } from './notifications.ts'
import { shareConnections } from './shared-connections.ts'
import { buildSetupStatement } from './setup-statement.ts'
import type { SqlText, Statement } from './sql.ts'

export type { DatabaseOptions, Statement }

/** One connection inside a transaction. */
export interface Connection {
  run<Row>(statement: Statement<Row>): Promise<Row[]>
  raw(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /**
   * Sends a write in one packet with the commit: for rows that this transaction does not read again. If the write fails,
   * the transaction rolls back. Its locks, such as that on the key of a job, are held only as long as the commit takes.
   * Its rows are known after the commit.
   */
  deferToCommit(statement: Statement, whenCommitted?: WhenCommitted): void
  /** Sends the deferred writes now, so that later statements see them. */
  flush(): Promise<void>
  /** Calls back after the commit, and never after a rollback. */
  afterCommit(callback: () => void): void
}

export interface Database extends AsyncDisposable {
  /** Runs the statements in one transaction and one round trip. */
  pipelined<Rows extends readonly unknown[]>(
    context: TransactionContext,
    statements: readonly [...{ [At in keyof Rows]: Statement<Rows[At]> | SqlText }],
  ): Promise<{ [At in keyof Rows]: Rows[At][] }>
  transaction<T>(context: TransactionContext, work: (connection: Connection) => Promise<T>): Promise<T>
  /**
   * Calls the handler of a channel for each notification, on one direct connection, until the listener is stopped. Calls
   * `onMissed` when notifications may have been lost; they are not repeated. Opening it takes 2 s at most, or
   * `connectTimeoutMs` of the database.
   */
  listen(handlers: ChannelHandlers, onMissed: () => void): Promise<Listener>
  /** Notifies the listeners of all processes within milliseconds, if this process is not killed before. */
  notify<Payload>(notify: Notify<Payload>, payload: Payload): void
  stats(): { total: number; idle: number; waiting: number }
  /** Closes every connection at once: what waits for an answer fails as if the database did not respond. */
  disconnect(): void
  close(): Promise<void>
}

/** The organization that a transaction acts for, whose rows only row-level security shows, and who acts. */
interface TransactionContext {
  orgId: string | null
  /** Whom the audit names; without it, the command line. */
  actor?: object
  /** Every statement reads the state of one moment, and none writes. */
  isSnapshot?: boolean
  /** See `Scope`. */
  sharesConnection?: boolean
}

/** Called after the commit with the rows of a write. */
type WhenCommitted = (rows: readonly unknown[]) => void

/** A write that is sent with the commit. */
export interface DeferredWrite {
  readonly statement: Statement
  readonly whenCommitted?: WhenCommitted | undefined
}

/** What to call after the commit with the rows of writes that have been sent. */
export const callbacksOf = (writes: readonly DeferredWrite[], rows: readonly unknown[][]): (() => void)[] =>
  writes.flatMap(({ whenCommitted }, at) => (whenCommitted ? [() => whenCommitted(rows[at]!)] : []))

export function openDatabase(options: DatabaseOptions): Database {
  const settings = connectionSettings(options)
  const pool = new pg.Pool({ ...settings, max: options.poolSize })
  pool.on('error', options.onError)
  const watch = watchLiveness(pool, settings, options.statementTimeoutMs + 1_000)
  const bind = (statement: SqlText): BoundStatement => {
    const { text, values = [] } = statement
    return { text, values, name: options.prepare && values.length > 0 ? statementName(text) : undefined }
  }
  const { role, statementTimeoutMs, prepare, avoidedPlans = [] } = options
  const { lockTimeoutMs = Math.min(statementTimeoutMs * 0.8, 5_000) } = options
  const limits = { role, statementTimeoutMs, lockTimeoutMs, avoidedPlans }
  const setup = buildSetupStatement({ ...limits, useGenericPlans: prepare })
  const silent = (text: string, values: unknown[] = []): BoundStatement => ({
    ...{ text, values, isSilent: true, name: prepare ? statementName(text) : undefined },
  })
  const begin = silent('begin')
  const beginSnapshot = silent('begin isolation level repeatable read read only')
  const commit = silent('commit')
  const rollback = silent('rollback')
  const setUp = ({ orgId, actor }: TransactionContext) =>
    silent(setup, [orgId ?? '', actor ? JSON.stringify(actor) : ''])
  const useClient = async <T>(work: (client: pg.PoolClient) => Promise<T>) => {
    const client = await acquireClient(pool, settings.connectionTimeoutMillis)
    return await withClient(client, () => work(client))
  }
  const share = shareConnections(useClient)
  const notifier = openNotifier(
    (statements) => database.pipelined({ orgId: null }, statements),
    options.onError,
  )
  const database: Database = {
    async pipelined(context, statements) {
      const bound = statements.map(bind)
      if (context.isSnapshot || bound.some(mayBeSeveral))
        return (await database.transaction(context, async ({ raw }) => {
          const results: unknown[][] = []
          for (const { text, values } of bound) results.push((await raw(text, [...values])).rows)
          return results
        })) as never
      // One Sync at the end makes them one transaction.
      const results = await (context.sharesConnection
        ? share(setUp(context), bound)
        : useClient(async (client) => (await sendBatch(client, [setUp(context), ...bound])).slice(1)))
      return results.map(({ rows }) => rows) as never
    },
    async transaction(context, work) {
      const callbacks: (() => void)[] = []
      const result = await useClient(async (client) => {
        const turns = batchTurns(client)
        const begun = Promise.all([
          turns.send(context.isSnapshot ? beginSnapshot : begin),
          turns.send(setUp(context)),
        ])
        const deferred: DeferredWrite[] = []
        let isOver = false
        let firstError: unknown
        let startError: Error | undefined
        begun.catch((error: Error) => (startError = error))
        const assertOpen = () => {
          if (isOver) throw new Error('The transaction is over: this statement was not awaited.')
          // If the start was not even sent, further statements would be in no transaction.
          if (startError) throw startError
        }
        const run = async (statement: SqlText): Promise<unknown[]> => {
          assertOpen()
          try {
            const bound = bind(statement)
            if (!mayBeSeveral(bound)) return (await turns.send(bound)).rows
            turns.flush()
            return await sendSeveral(client, bound.text)
          } catch (error) {
            firstError ??= error
            throw error
          }
        }
        try {
          const result = await work({
            run: async <Row>(statement: Statement<Row>) => (await run(statement)) as Row[],
            raw: async (text, values) => ({ rows: await run({ text, values }) }),
            deferToCommit(statement, whenCommitted) {
              assertOpen()
              deferred.push({ statement, whenCommitted })
            },
            flush: async () => {
              const sent = deferred.splice(0)
              const rows = await Promise.all(sent.map(({ statement }) => run(statement)))
              callbacks.push(...callbacksOf(sent, rows))
            },
            afterCommit: (callback) => void callbacks.push(callback),
          })
          assertOpen()
          const sent = deferred.splice(0)
          const written = sent.map(({ statement }) => bind(statement))
          isOver = true
          // If a deferred statement fails, PostgreSQL skips the commit.
          const results = await Promise.all([...written, commit].map(turns.send))
          await begun
          const committed = results.pop()!
          if (committed.command !== 'COMMIT')
            throw new Error('The transaction was rolled back by the database.')
          const rowsOfWrites = results.map(({ rows }) => rows)
          callbacks.push(...callbacksOf(sent, rowsOfWrites))
          return result
        } catch (error) {
          turns.flush() // in a batch of its own, which is not skipped
          await turns.send(rollback).catch(() => {}) // a lost connection has rolled back by itself
          // Statements after the failed one only say that the transaction is aborted, and may be awaited first.
          throw isAbortedTransaction(error) ? (startError ?? firstError ?? error) : error
        } finally {
          isOver = true
        }
      })
      callbacks.forEach((callback) => callback())
      return result
    },
    listen: (handlers, onMissed) =>
      listen({
        ...{ url: options.directUrl ?? options.url, applicationName: options.applicationName },
        ...{ handlers, onMissed, onError: options.onError, connectTimeoutMs: options.connectTimeoutMs },
        notify: async (channel) => {
          await database.pipelined({ orgId: null }, [
            { text: 'select pg_notify($1, $2)', values: [channel, ''] },
          ])
        },
      }),
    notify: notifier.notify,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    disconnect: watch.disconnect,
    async close() {
      await notifier.close()
      await pool.end()
      watch.stop()
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
  return database
}

/** A text without values may contain several statements, which cannot be prepared. */
const mayBeSeveral = ({ text, values }: BoundStatement) => values.length === 0 && text.includes(';')

const isAbortedTransaction = (error: unknown) => (error as { code?: unknown }).code === '25P02'

/** Releases the client after the work. A broken connection is not returned to the pool. */
async function withClient<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'severity' in error) && isConnectionLoss(error))
      recordFailure(client, error as Error)
    throw error
  } finally {
    client.release(failureOf(client))
  }
}

/** Whether the error comes from the driver or the socket, and not from a statement. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (
    typeof code === 'string' &&
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_|08|57P0[123])/.test(code)
  )
    return true
  return /Connection terminated|timeout exceeded when trying to connect|not queryable/i.test(error.message)
}
