import type { Database } from '#db/connect.ts'
import { startDispatcher, type Dispatcher, type DispatcherOptions } from './dispatcher.ts'
import type { QueueName } from './job.ts'
import { jobChannel, releaseAbandonedJobs } from './queries.ts'

/**
 * The consuming side of the queue, a table in the same PostgreSQL as the records; docs/decisions/0005-queue.md says why.
 * Features retry their own work (attempts, delays); the retry of the queue is only for defects and killed workers.
 */
export interface WorkerQueue {
  /** Runs the jobs of a queue, `concurrency` at a time, until the queue is closed. */
  work(name: QueueName, concurrency: number, run: DispatcherOptions['run']): void
  /** Whether the connections that claim jobs work. */
  responds(): Promise<boolean>
  close(graceMs: number): Promise<void>
}

const supervisionMs = 1_000

/** Opens the queue on a database handle of its own, which is closed with it. */
export async function openWorkerQueue(
  database: Database,
  onError: (error: Error) => void,
): Promise<WorkerQueue> {
  const dispatchers = new Map<string, Dispatcher>()
  const wakeAll = () => dispatchers.forEach(({ wake }) => wake())
  const listener = await database.listen({ [jobChannel]: (name) => dispatchers.get(name)?.wake() }, wakeAll)
  let supervising: Promise<void> | undefined
  const supervise = async () => {
    try {
      if ((await releaseAbandonedJobs(database)) > 0) wakeAll()
    } catch (error) {
      onError(error as Error)
    } finally {
      supervising = undefined
    }
  }
  const timer = setInterval(() => void (supervising ??= supervise()), supervisionMs)
  return {
    work: (name, concurrency, run) =>
      void dispatchers.set(name, startDispatcher({ database, name, concurrency, run, onError })),
    responds: () => database.pipelined({ orgId: null }, [{ text: 'select 1' }]).then(() => true),
    async close(graceMs) {
      clearInterval(timer)
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close(graceMs)))
      await supervising
      await listener.stop()
      await database.close()
    },
  }
}
