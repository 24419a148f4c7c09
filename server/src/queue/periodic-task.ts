import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLoss, type Database } from '#db/connect.ts'
import type { Statement } from '#db/sql.ts'
import { atomically, isFrozen, type Scope, type Transaction } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import { enqueue, type Job } from './job.ts'
import { endTerm, renewTerm } from './queries.ts'

/** Work that one worker runs at an interval. After a long pause of that worker two may run it at the same time. */
export interface PeriodicTask {
  readonly name: string
  readonly intervalMs: number
  readonly run: (context: TaskContext, signal: AbortSignal) => Promise<unknown>
}

export interface TaskContext {
  readonly database: Database
}

/** A worker that has not renewed its term for this long, in seconds, is replaced. */
const termSeconds = 5
const renewalMs = 1_000

/**
 * Runs each task at its interval while this worker is the scheduler: of several workers one is, until it stops or has not
 * renewed its term. A task that still runs is not started again. The returned function ends the term.
 */
export function startScheduler(context: TaskContext, tasks: readonly PeriodicTask[]): () => Promise<void> {
  const worker = randomUUID()
  const controller = new AbortController()
  const running = new Set<PeriodicTask>()
  let termEndsAt = 0
  let renewal: Promise<unknown> | undefined
  const renew = async () => {
    const startedAt = performance.now()
    const isScheduler = await renewTerm(context.database, worker, termSeconds)
    termEndsAt = isScheduler ? startedAt + termSeconds * 1_000 : 0
  }
  const keepTerm = () => {
    renewal ??= renew()
      .catch(events.queueError)
      .finally(() => (renewal = undefined))
  }
  const start = async (task: PeriodicTask) => {
    if (running.has(task) || performance.now() > termEndsAt) return
    running.add(task)
    try {
      await task.run(context, controller.signal)
      metrics.taskEnded(task.name, 'completed')
    } catch (error) {
      metrics.taskEnded(task.name, 'failed')
      events.taskFailed(task.name, error)
    } finally {
      running.delete(task)
    }
  }
  keepTerm()
  const timers = [
    setInterval(keepTerm, renewalMs),
    ...tasks.map((task) => setInterval(() => void start(task), task.intervalMs)),
  ]
  return async () => {
    controller.abort()
    timers.forEach(clearInterval)
    const end = async () => {
      await renewal
      await endTerm(context.database, worker)
    }
    // A database that does not answer ends the term by itself.
    await Promise.race([end().catch(events.queueError), sleep(1_000, undefined, { ref: false })])
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

/** Does the work in one transaction for each organization that is not frozen. @throws the first error, after the last */
export const forEachOrganization = <Row extends { org_id: string }>(
  context: TaskContext,
  rows: readonly Row[],
  work: (transaction: Transaction, rows: readonly Row[]) => Promise<unknown>,
): Promise<void> =>
  forEachGroup(
    context,
    Map.groupBy(rows, ({ org_id }) => org_id),
    work,
  )

/** The same in one transaction for each row. */
export const forEachRow = <Row extends { org_id: string }>(
  context: TaskContext,
  rows: readonly Row[],
  work: (transaction: Transaction, row: Row) => Promise<unknown>,
): Promise<void> =>
  forEachGroup(
    context,
    rows.map((row) => [row.org_id, row] as const),
    work,
  )

/** An organization whose work fails does not keep it from the others, unless the database is away. */
async function forEachGroup<Group>(
  context: TaskContext,
  groups: Iterable<readonly [orgId: string, group: Group]>,
  work: (transaction: Transaction, group: Group) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = []
  for (const [orgId, group] of groups)
    await atomically(systemScope(context, orgId), (transaction) => work(transaction, group)).catch(
      (error: unknown) => {
        if (isConnectionLoss(error)) throw error
        if (!isFrozen(error)) errors.push(error)
      },
    )
  if (errors.length > 0) throw errors[0]
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
