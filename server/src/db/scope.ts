import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, Database, Statement } from './connect.ts'

/** Who causes a change: a person, a machine, or the product itself. */
export interface Actor {
  type: 'user' | 'service' | 'system'
  id: string
  name: string
}

/** Where jobs are put, in the transaction of what they follow from. */
export interface Outbox {
  put(connection: Connection, queue: string, jobs: readonly Letter[]): Promise<void>
  /** The job that waits under a key. */
  waiting(connection: Connection, queue: string, key: string): Promise<string | undefined>
}

export interface Letter {
  readonly id?: string | undefined
  readonly key?: string | undefined
  /** Whose share of the workers' places the job takes. */
  readonly orgId: string
  readonly resource?: string | undefined
  /** Not before: a time, or an interval as PostgreSQL writes it; null is at once. */
  readonly startAfter: string | null
  readonly data: object
}

/** The database as one caller may see it. Requests and jobs bring it; features never hold a bare handle. */
export interface Scope {
  readonly orgId: string
  readonly accountId: string | null
  readonly actor: Actor
  /** The W3C trace context that a job enqueued here continues. */
  readonly traceparent: string | null
  readonly database: Database
  readonly outbox: Outbox
  readonly connection?: Connection
}

/** A scope inside a transaction: what is written through it stands or falls together. */
export interface Transaction extends Scope {
  readonly connection: Connection
}

/** The rows of one statement: inside a transaction on its connection, else one round trip of its own. */
export async function rows<Row>(scope: Scope, statement: Statement<Row>): Promise<Row[]> {
  if (scope.connection) return await scope.connection.run(statement)
  const [result] = await scope.database.pipelined({ orgId: scope.orgId }, [statement])
  return result as Row[]
}

export async function first<Row>(scope: Scope, statement: Statement<Row>): Promise<Row | undefined> {
  const [row] = await rows(scope, statement)
  return row
}

/** Writes with the commit: what nobody in this transaction looks at. */
export const lastly = ({ connection }: Transaction, statement: Statement): void => connection.last(statement)

/**
 * The only transaction. Inside one it joins the one that is open. The work may run again after a deadlock, so it
 * touches nothing but the database.
 */
export function atomically<T>(scope: Scope, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  if (scope.connection) return work(scope as Transaction)
  return again(async () => {
    let told: (() => void)[] | undefined
    const result = await scope.database.transaction({ orgId: scope.orgId }, (connection) => {
      waiting.set(connection, (told = []))
      return work({ ...scope, connection })
    })
    told?.forEach((tell) => tell())
    return result
  })
}

const waiting = new WeakMap<Connection, (() => void)[]>()

/** Tells the log and the figures of something when it is certain, and never of what was rolled back. */
export const onceCommitted = ({ connection }: Transaction, tell: () => void): void =>
  void waiting.get(connection)?.push(tell)

/** Two transactions that waited for each other: the database ended one of them, and it may simply be repeated. */
async function again<T>(transaction: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (tries <= 1 || (code !== '40P01' && code !== '40001')) throw error
    // Not at once: the other one may have been ended too, and they would meet again.
    await sleep(Math.random() * 50)
    return await again(transaction, tries - 1)
  }
}
