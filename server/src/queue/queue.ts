import { createHash } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import type { Connection, Database } from '#db/connect.ts'
import type { Letter, Outbox } from '#db/scope.ts'
import { dispatch, type Dispatcher, type Work } from './dispatcher.ts'
import { queueNames, wakingQueues, type QueueName } from './job.ts'
import { grantQueue, waitingJobId } from './queries.ts'

/**
 * The queue lives in the same PostgreSQL, so a job commits with the row it follows from. The library is
 * pg-boss; docs/decisions/0005-queue.md says why. Our own rules keep retries of the work (attempts, waits);
 * the library's retry is only for a worker that was killed.
 */

/** What the library checks: who is missing a heartbeat, which delayed jobs are due. */
const upkeep = { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 }

/** Where the library says which queue has got work: `pgboss_`, and 24 digits of a hash over the name of its schema. */
export const channel = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`

const settings = {
  policy: 'short' as const,
  retryLimit: 100,
  retryDelay: 1,
  retryBackoff: false,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 24 * 3_600,
}

export interface WorkerQueue {
  /** Runs the jobs of a queue, so many at once, until it is closed. */
  work(name: QueueName, concurrency: number, run: Work['run']): void
  /** Whether the connections by which jobs are claimed work. */
  responds(): Promise<boolean>
  close(graceMs: number): Promise<void>
}

/** Creates the queue's tables and queues, as this version wants them, and lets the restricted role put jobs there. Part of a migration. */
export async function prepareQueue(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 2, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  try {
    for (const name of queueNames) {
      const notify = wakingQueues.has(name)
      await boss.createQueue(name, { ...settings, notify })
      await boss.updateQueue(name, { notify }) // one that an earlier version has made
    }
    await boss.getDb().executeSql(grantQueue)
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** The sending side: needs no connection of its own, only the transaction's. */
export async function openOutbox(database: Database): Promise<{ outbox: Outbox; close(): Promise<void> }> {
  const boss = new PgBoss({
    db: {
      executeSql: (text: string, values?: unknown[]) =>
        database.transaction({ orgId: null }, (connection) => connection.raw(text, values)),
    },
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => {})
  await boss.start()
  return {
    outbox: {
      async put(connection, queue, letters) {
        const jobs = inKeyOrder(letters).map(({ id, key, orgId, resource, startAfter, data }) => ({
          data,
          ...(id && { id }),
          ...(key && { singletonKey: key }),
          ...(orgId && { group: { id: orgId, ...(resource && { tier: resource }) } }),
          ...(startAfter !== null && { startAfter }),
        }))
        await boss.insert(queue, jobs, { db: withCommit(connection) })
      },
      waiting: async (connection, queue, key) => {
        await connection.flush()
        return await waitingJobId(connection, queue, key)
      },
    },
    close: () => boss.stop({ graceful: false }),
  }
}

/**
 * A waiting key is unique, so that whoever adds it waits for another transaction that has just added it. In one order
 * for everybody, no two transactions wait for each other.
 */
const inKeyOrder = (letters: readonly Letter[]) =>
  letters.toSorted(({ key: a = '' }, { key: b = '' }) => (a < b ? -1 : a > b ? 1 : 0))

/** The library's statement leaves with the commit. */
const withCommit = (connection: Connection) => ({
  executeSql: (text: string, values?: unknown[]) => {
    connection.last({ text, values })
    return Promise.resolve({ rows: [] })
  },
})

/** The working side: watches heartbeats, wakes delayed jobs, hands out work. Closes the database in the end. */
export async function openWorkerQueue(
  database: Database,
  trouble: (error: Error) => void,
): Promise<WorkerQueue> {
  const boss = new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => execute(database, text, values) },
    ...{ migrate: false, createSchema: false, schedule: false, reindex: false },
    ...upkeep,
  })
  boss.on('error', trouble)
  await boss.start()
  const dispatchers = new Map<string, Dispatcher>()
  const listener = await database.listen({ [channel]: (name) => dispatchers.get(name)?.wake() }, () =>
    dispatchers.forEach(({ wake }) => wake()),
  )
  return {
    work: (name, concurrency, run) =>
      void dispatchers.set(name, dispatch({ boss, name, concurrency, run, trouble })),
    responds: () => execute(database, 'select 1').then(() => true),
    async close(graceMs) {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close(graceMs)))
      await listener.stop()
      await boss.stop({ graceful: false })
      await database.close()
    },
  }
}

/**
 * A statement of the library in a transaction of ours, which takes on the role of the queue. Some texts are
 * transactions of their own, of which only what stands between their begin and their commit is left.
 */
async function execute(
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<{ rows: unknown[] }> {
  const [, within] = /^\s*BEGIN;([^]*)COMMIT;\s*$/.exec(text) ?? []
  const [rows] = await database.pipelined({ orgId: null }, [{ text: within ?? text, values }])
  return { rows: rows! }
}
