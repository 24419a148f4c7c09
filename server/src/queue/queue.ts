import { createHash } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import type { Connection, Database } from '#db/connect.ts'
import type { Letter, Outbox } from '#db/scope.ts'
import { listen } from '#db/listen.ts'
import { watchSilence } from '#db/silence.ts'
import { dispatch, type Dispatcher, type Work } from './dispatcher.ts'
import { queueNames, wakingQueues, type QueueName } from './job.ts'
import { grantQueue, waitingJobId } from './queries.ts'
import { seldom } from './trouble.ts'

/**
 * The queue lives in the same PostgreSQL, so a job commits with the row it follows from. The library is
 * pg-boss; docs/decisions/0005-queue.md says why. Our own rules keep retries of the work (attempts, waits);
 * the library's retry is only for a worker that was killed.
 */

/** What the library checks: who is missing a heartbeat, which delayed jobs are due. */
const upkeep = { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 }

/** As our own connections do, the library's give up a database that is away without a word. */
const patience = {
  connectionTimeoutMillis: 2_000,
  keepAlive: true,
  query_timeout: 60_000,
  idle_in_transaction_session_timeout: 15_000,
}

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

/** The working side: watches heartbeats, wakes delayed jobs, hands out work. */
export async function openWorkerQueue(
  ownerUrl: string,
  onError: (error: Error) => void,
): Promise<WorkerQueue> {
  const connection = { connectionString: ownerUrl, application_name: 'vacancy queue', ...patience }
  const trouble = seldom(onError)
  const boss = new PgBoss({ ...connection, max: 4, migrate: false, createSchema: false, ...upkeep })
  boss.on('error', trouble)
  await boss.start()
  const dispatchers = new Map<string, Dispatcher>()
  const deaf = await listen({
    settings: connection,
    heard: { [channel]: (name) => dispatchers.get(name)?.wake() },
    missed: () => dispatchers.forEach(({ wake }) => wake()),
    onError: trouble,
  })
  const endWatch = watchSilence(poolOf(boss), connection)
  return {
    work: (name, concurrency, run) =>
      void dispatchers.set(name, dispatch({ boss, name, concurrency, run, trouble })),
    responds: () =>
      boss
        .getDb()
        .executeSql('select 1')
        .then(() => true),
    async close(graceMs) {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close(graceMs)))
      await deaf()
      await boss.stop({ graceful: false })
      endWatch()
    },
  }
}

/** The library keeps it to itself. */
const poolOf = (boss: PgBoss) =>
  (boss.getDb() as unknown as { pool: Parameters<typeof watchSilence>[0] }).pool
