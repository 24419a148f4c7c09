import type { Database, Statement } from '#db/connect.ts'
import { atomically, isFrozen, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { enqueue, type Job } from './job.ts'

/** Work that every worker runs at an interval. Several workers may run it at the same time. */
export interface PeriodicTask {
  readonly name: string
  readonly intervalMs: number
  readonly run: (context: TaskContext, signal: AbortSignal) => Promise<unknown>
}

export interface TaskContext {
  readonly database: Database
}

/** Runs each task at its interval until the returned function is called. A task that still runs is not started again. */
export function startScheduler(context: TaskContext, tasks: readonly PeriodicTask[]): () => void {
  const controller = new AbortController()
  const running = new Set<PeriodicTask>()
  const start = async (task: PeriodicTask) => {
    if (running.has(task)) return
    running.add(task)
    try {
      await task.run(context, controller.signal)
    } catch (error) {
      events.queueError(error)
    } finally {
      running.delete(task)
    }
  }
  const timers = tasks.map((task) => setInterval(() => void start(task), task.intervalMs))
  return () => {
    controller.abort()
    timers.forEach(clearInterval)
  }
}

/** The scope of the system in an organization. */
export const systemScope = ({ database }: TaskContext, orgId: string): Scope => ({
  orgId,
  accountId: null,
  actor: { type: 'system', id: 'upkeep', name: 'Vacancy' },
  traceparent: null,
  database,
})

/** Reads across organizations, through database functions that return ids only. */
export async function findInAllOrganizations<Row>(
  { database }: Pick<TaskContext, 'database'>,
  statement: Statement<Row>,
): Promise<Row[]> {
  const [rows] = await database.pipelined<[Row]>({ orgId: null }, [statement])
  return rows
}

/** Does the work in one transaction for each organization that is not frozen. */
export async function forEachOrganization<Row extends { org_id: string }>(
  context: TaskContext,
  rows: readonly Row[],
  work: (transaction: Transaction, rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (const [orgId, rowsOfOrg] of Map.groupBy(rows, ({ org_id }) => org_id))
    await atomically(systemScope(context, orgId), (transaction) => work(transaction, rowsOfOrg)).catch(
      (error: unknown) => {
        if (!isFrozen(error)) throw error
      },
    )
}

/** Enqueues one job for each row. */
export const enqueueForEach = <Row extends { org_id: string }, Payload extends object>(
  context: TaskContext,
  job: Job<Payload>,
  rows: readonly Row[],
  payloadOf: (row: Row) => Payload,
): Promise<void> =>
  forEachOrganization(context, rows, (transaction, rowsOfOrg) =>
    enqueue(
      transaction,
      job,
      rowsOfOrg.map((row) => ({ payload: payloadOf(row) })),
    ),
  )
