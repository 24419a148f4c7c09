import { createHash } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import type { Connection, Database } from '#db/connect.ts'
import type { NewJob, Outbox } from '#db/scope.ts'
import { startDispatcher, type Dispatcher, type DispatcherOptions } from './dispatcher.ts'
import { notifyingQueues, queueNames, type QueueName } from './job.ts'
import { findWaitingJobId, queueGrants } from './queries.ts'

/**
 * The queue lives in the same PostgreSQL as the records, so a job commits with the change that causes it. The library is
 * pg-boss; docs/decisions/0005-queue.md says why. Features retry their own work (attempts, delays); the retry of the
 * library is only for jobs whose worker was killed.
 */

/** How often the library looks for jobs without a heartbeat and for delayed jobs that are due. */
const supervision = { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 }

/** Where the library announces which queue has a new job: `pgboss_` and 24 digits of the hash of its schema name. */
export const notificationChannel = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`

const queueSettings = {
  policy: 'short' as const,
  retryLimit: 100,
  retryDelay: 1,
  retryBackoff: false,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 24 * 3_600,
}

export interface WorkerQueue {
  /** Runs the jobs of a queue, `concurrency` at a time, until the queue is closed. */
  work(name: QueueName, concurrency: number, run: DispatcherOptions['run']): void
  /** Whether the connections that claim jobs work. */
  responds(): Promise<boolean>
  close(graceMs: number): Promise<void>
}

/** Creates or updates the tables and queues of the library, and grants access to the restricted roles. Part of a migration. */
export async function prepareQueue(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 2, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  try {
    for (const name of queueNames) {
      const notify = notifyingQueues.has(name)
      await boss.createQueue(name, { ...queueSettings, notify })
      await boss.updateQueue(name, { notify }) // a queue that an earlier version created
    }
    await boss.getDb().executeSql(queueGrants)
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** The producing side. Uses the connection of the caller's transaction. */
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
      async enqueue(connection, queue, newJobs) {
        const jobs = sortByKey(newJobs).map(({ id, key, orgId, resource, startAfter, data }) => ({
          data,
          ...(id && { id }),
          ...(key && { singletonKey: key }),
          ...(orgId && { group: { id: orgId, ...(resource && { tier: resource }) } }),
          ...(startAfter !== null && { startAfter }),
        }))
        await boss.insert(queue, jobs, { db: deferredDb(connection) })
      },
      findWaiting: async (connection, queue, key) => {
        await connection.flush()
        return await findWaitingJobId(connection, queue, key)
      },
    },
    close: () => boss.stop({ graceful: false }),
  }
}

/**
 * The key of a waiting job is unique, so adding it waits for another transaction that has just added the same key. One
 * order for all transactions prevents deadlocks.
 */
const sortByKey = (jobs: readonly NewJob[]) =>
  jobs.toSorted(({ key: a = '' }, { key: b = '' }) => (a < b ? -1 : a > b ? 1 : 0))

/** Sends the statement of the library together with the commit. */
const deferredDb = (connection: Connection) => ({
  executeSql: (text: string, values?: unknown[]) => {
    connection.deferToCommit({ text, values })
    return Promise.resolve({ rows: [] })
  },
})

/** The consuming side: supervises heartbeats, releases delayed jobs and runs jobs. Closes the database when it is closed. */
export async function openWorkerQueue(
  database: Database,
  onError: (error: Error) => void,
): Promise<WorkerQueue> {
  const boss = new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => runLibraryStatement(database, text, values) },
    ...{ migrate: false, createSchema: false, schedule: false, reindex: false },
    ...supervision,
  })
  boss.on('error', onError)
  await boss.start()
  const dispatchers = new Map<string, Dispatcher>()
  const listener = await database.listen(
    { [notificationChannel]: (name) => dispatchers.get(name)?.wake() },
    () => dispatchers.forEach(({ wake }) => wake()),
  )
  return {
    work: (name, concurrency, run) =>
      void dispatchers.set(name, startDispatcher({ boss, name, concurrency, run, onError })),
    responds: () => runLibraryStatement(database, 'select 1').then(() => true),
    async close(graceMs) {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close(graceMs)))
      await listener.stop()
      await boss.stop({ graceful: false })
      await database.close()
    },
  }
}

/**
 * Runs a statement of the library in a transaction of ours, which sets the role of the queue. Some texts contain their
 * own transaction; its begin and commit are cut off.
 */
async function runLibraryStatement(
  database: Database,
  text: string,
  values: unknown[] = [],
): Promise<{ rows: unknown[] }> {
  const [, inner] = /^\s*BEGIN;([^]*)COMMIT;\s*$/.exec(text) ?? []
  const [rows] = await database.pipelined({ orgId: null }, [{ text: inner ?? text, values }])
  return { rows }
}
