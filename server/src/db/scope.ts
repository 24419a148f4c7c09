import { setTimeout as sleep } from 'node:timers/promises'
import { callbacksOf, type Connection, type Database, type DeferredWrite } from './connect.ts'
import type { Statement } from './sql.ts'
import type { Notify } from './notifications.ts'

/** Who makes a change: a person, an API client, or the system. */
export interface Actor {
  type: 'user' | 'service' | 'system'
  id: string
  name: string
}

/** The database as one caller may see it. Requests and jobs provide it; features never hold a bare database handle. */
export interface Scope {
  readonly orgId: string
  readonly accountId: string | null
  readonly actor: Actor
  /** The W3C trace context that a job enqueued here continues. */
  readonly traceparent: string | null
  readonly database: Database
  readonly connection?: Connection
  /** Its reads outside of transactions take milliseconds and wait for no lock: those of one turn share a packet. */
  readonly sharesConnection?: boolean
}

/** A scope inside a transaction: everything written through it commits or rolls back together. */
export interface Transaction extends Scope {
  readonly connection: Connection
}

/** Runs one statement: on the connection of the transaction, else in one round trip of its own. */
export async function rows<Row>(scope: Scope, statement: Statement<Row>): Promise<Row[]> {
  if (scope.connection) return await scope.connection.run(statement)
  const [result] = await scope.database.pipelined(contextOf(scope), [statement])
  return result
}

const contextOf = ({ orgId, actor, sharesConnection = false }: Scope) => ({ orgId, actor, sharesConnection })

export async function first<Row>(scope: Scope, statement: Statement<Row>): Promise<Row | undefined> {
  const [row] = await rows(scope, statement)
  return row
}

/** Sends a write together with the commit. Use it for rows that this transaction does not read again. */
export const deferToCommit = ({ connection }: Transaction, statement: Statement): void =>
  connection.deferToCommit(statement)

/**
 * Runs the work in a transaction, or joins the one that is open. The work is repeated after a deadlock, so it must have
 * no effects outside the database.
 */
export function atomically<T>(scope: Scope, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  if (scope.connection) return work(scope as Transaction)
  return retryOnDeadlock(() =>
    scope.database.transaction(contextOf(scope), (connection) => work({ ...scope, connection })),
  )
}

/**
 * Writes with one statement, and returns its rows. It and what `follow` defers are one packet with the commit. In the
 * transaction of a caller, which may read what was written, the statement is sent at once.
 */
export async function writeWithCommit<Row>(
  scope: Scope,
  statement: Statement<Row>,
  follow: (transaction: Transaction) => Promise<void>,
): Promise<Row[]> {
  let written: readonly unknown[] = []
  await atomically(scope, async (transaction) => {
    if (scope.connection) written = await rows(transaction, statement)
    else transaction.connection.deferToCommit(statement, (found) => (written = found))
    await follow(transaction)
  })
  return written as Row[]
}

/**
 * Runs the work at a savepoint: if it throws, what it wrote is undone, and the transaction goes on. What it defers to the
 * commit is dropped with it.
 */
export async function atSavepoint<T>(
  transaction: Transaction,
  work: (inner: Transaction) => Promise<T>,
): Promise<T> {
  const { connection } = transaction
  const deferred: DeferredWrite[] = []
  const callbacks: (() => void)[] = []
  const inner: Connection = {
    ...connection,
    deferToCommit: (statement, whenCommitted) => void deferred.push({ statement, whenCommitted }),
    flush: async () => {
      const sent = deferred.splice(0)
      const results = await Promise.all(sent.map(({ statement }) => connection.run(statement)))
      callbacks.push(...callbacksOf(sent, results))
    },
    afterCommit: (callback) => void callbacks.push(callback),
  }
  await connection.raw('savepoint step')
  try {
    const result = await work({ ...transaction, connection: inner })
    await connection.raw('release savepoint step')
    deferred.forEach(({ statement, whenCommitted }) => connection.deferToCommit(statement, whenCommitted))
    callbacks.forEach((callback) => connection.afterCommit(callback))
    return result
  } catch (error) {
    await connection.raw('rollback to savepoint step')
    throw error
  }
}

/** Leaves out the rows of an organization that another cell serves. */
export const exceptMoved = <Row>(rows: Promise<Row[]>): Promise<Row[]> =>
  rows.catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'VA421') return []
    throw error
  })

/** Whether the organization cannot be changed, because it is frozen or another cell serves it. */
export const isFrozen = (error: unknown): boolean =>
  ['25006', 'VA421'].includes(String((error as { code?: unknown }).code))

/** Whether a row of the table, or of any, violates a constraint: `23502` of a missing value, `23503` of a reference. */
export function violates(error: unknown, code: '23502' | '23503', table?: string): boolean {
  const violation = error as { code?: unknown; table?: unknown }
  return violation.code === code && (table === undefined || violation.table === table)
}

/** Calls back after the commit, and never after a rollback: for logs and metrics. */
export const afterCommit = ({ connection }: Transaction, callback: () => void): void =>
  connection.afterCommit(callback)

/** Notifies the listeners of all processes after the commit. */
export const notifyAfterCommit = <Payload>(
  { connection, database }: Transaction,
  notify: Notify<Payload>,
  payload: Payload,
): void => connection.afterCommit(() => database.notify(notify, payload))

/** PostgreSQL ends one of two transactions that wait for each other; that one can simply run again. */
export async function retryOnDeadlock<T>(transaction: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (tries <= 1 || (code !== '40P01' && code !== '40001')) throw error
    // A random delay, because the other transaction may have been ended too and would collide again.
    await sleep(Math.random() * 50)
    return await retryOnDeadlock(transaction, tries - 1)
  }
}
