import { PgBoss } from 'pg-boss'
import type { Database } from '#db/connect.ts'
import type { Outbox } from '#db/scope.ts'
import { pulseBounds } from '#db/listen.ts'
import { watchSilence } from '#db/silence.ts'
import { queueNames } from './job.ts'
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
  notifyHeartbeatIntervalMs: pulseBounds.everyMs,
  notifyHeartbeatTimeoutMs: pulseBounds.answerMs,
}

const settings = {
  policy: 'short' as const,
  retryLimit: 100,
  retryDelay: 1,
  retryBackoff: false,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 24 * 3_600,
  notify: true,
}

export interface WorkerQueue {
  readonly boss: PgBoss
  close(graceMs: number): Promise<void>
}

/** Creates the queue's tables and queues, and lets the restricted role put jobs there. Part of a migration. */
export async function prepareQueue(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 2, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  try {
    for (const name of queueNames) await boss.createQueue(name, settings)
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
        const jobs = letters.map(({ id, key, at, data }) => ({
          data,
          ...(id && { id }),
          ...(key && { singletonKey: key }),
          ...(at && { startAfter: at.toISOString() as unknown as Date }),
        }))
        await boss.insert(queue, jobs, {
          db: { executeSql: (text, values) => connection.raw(text, values) },
        })
      },
      waiting: (connection, queue, key) => waitingJobId(connection, queue, key),
    },
    close: () => boss.stop({ graceful: false }),
  }
}

/** The working side: watches heartbeats, wakes delayed jobs, hands out work. */
export async function openWorkerQueue(
  ownerUrl: string,
  onError: (error: Error) => void,
): Promise<WorkerQueue> {
  const connection = { connectionString: ownerUrl, application_name: 'vacancy queue', ...patience }
  const boss = new PgBoss({
    ...connection,
    max: 4,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    ...upkeep,
  })
  boss.on('error', seldom(onError))
  await boss.start()
  const endWatch = watchSilence(poolOf(boss), connection)
  return {
    boss,
    async close(graceMs) {
      await boss.stop({ graceful: true, timeout: graceMs })
      endWatch()
    },
  }
}

/** The library keeps it to itself. */
const poolOf = (boss: PgBoss) =>
  (boss.getDb() as unknown as { pool: Parameters<typeof watchSilence>[0] }).pool
