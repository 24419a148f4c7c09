import type { Scope, Transaction } from '#db/scope.ts'
import type { Statement } from '#db/sql.ts'
import { insertJobs, notifyOfJobs, selectWaitingJob } from './queries.ts'

/** A kind of background work. Declared where any feature may import it; handled in the worker. */
export interface Job<Payload> {
  /** A name that ends with `.*` stands for all names with that prefix: one handler runs them all. */
  readonly name: string
  readonly queue: QueueName
  /** Jobs with the same key are one job as long as the first still waits. */
  readonly key?: (payload: Payload) => string
  /** The external system that the job waits for, such as a webhook endpoint. One that times out gets one slot. */
  readonly resource?: (payload: Payload) => string | undefined
  /** A condition on the row `job`: one that does not meet it at the commit is not added. */
  readonly onlyIf?: Statement
}

export const queueNames = ['sync', 'verification', 'payments', 'notifications', 'webhooks', 'upkeep'] as const
export type QueueName = (typeof queueNames)[number]

/**
 * Queues whose new jobs notify the workers, if they are due: those that are due later are found when the queue is polled,
 * twice a second, which is soon enough for an e-mail too.
 */
const notifyingQueues: ReadonlySet<QueueName> = new Set(['sync', 'payments', 'webhooks'])

export const job = <Payload extends object>(declaration: Job<Payload>): Job<Payload> => declaration

/** One of the jobs that a wildcard name stands for: `pms.*` with `booking.created` is `pms.booking.created`. */
export const jobVariant = <Payload extends object>(family: Job<Payload>, suffix: string): Job<Payload> => ({
  ...family,
  name: family.name.replace(/\*$/, () => suffix),
})

/** What a handler knows about its run. */
export interface JobRun {
  readonly jobId: string
  /** Aborted when the worker stops, or when another worker has claimed the job. */
  readonly signal: AbortSignal
  /** Whether the resource of the job timed out when this process last called it. */
  readonly isSlow: boolean
  /** Reports whether the resource of the job responded in time. A job that did not call it reports nothing. */
  reportResponse(inTime: boolean): void
}

export interface Handler {
  readonly job: Job<never>
  readonly run: (scope: Scope, payload: object, run: JobRun) => Promise<void>
}

export const handle = <Payload extends object>(
  declaration: Job<Payload>,
  run: (scope: Scope, payload: Payload, run: JobRun) => Promise<void>,
): Handler => ({ job: declaration, run: run as Handler['run'] })

export interface EnqueueOptions<Payload> {
  readonly payload: Payload
  /** The earliest start by the clock of the database; at once when absent. */
  readonly at?: Date | null
  /** The delay, for times computed here: the clock of this process may be wrong. */
  readonly afterMs?: number
  readonly id?: string
}

/**
 * Enqueues jobs in the transaction, with one statement for all: they exist if, and only if, it commits.
 * The key of a delayed job contains its time. Otherwise a job that waits for long would replace one that is due soon;
 * whichever runs first does the work.
 */
export async function enqueue<Payload extends object>(
  transaction: Transaction,
  { name, queue, key, resource, onlyIf }: Job<Payload>,
  requests: readonly EnqueueOptions<Payload>[],
): Promise<void> {
  if (requests.length === 0) return
  const { orgId, accountId, traceparent } = transaction
  const jobs = requests.map(({ payload, at, afterMs, id }) => {
    const dueAt = at ? roundUpToTick(at) : undefined
    const keyTime = afterMs === undefined ? dueAt : new Date(Date.now() + afterMs)
    return {
      id,
      dueAt,
      delayMs: afterMs === undefined ? undefined : Math.round(afterMs),
      key: key && keyOf(name, key(payload), keyTime),
      resource: resource?.(payload),
      data: { job: name, org_id: orgId, account_id: accountId, traceparent, payload },
    }
  })
  const { connection, database } = transaction
  connection.deferToCommit(insertJobs(queue, orgId || null, jobs, onlyIf), (due) => {
    if (due.length > 0 && notifyingQueues.has(queue)) database.notify(notifyOfJobs, queue)
  })
}

/** Workers poll at each tick of the clock, so start times are rounded up to a tick and jobs are claimed together. */
export const tickMs = 50
const roundUpToTick = (at: Date) => new Date(Math.ceil(at.getTime() / tickMs) * tickMs)

/** The id of the job that waits to run at once with this payload. */
export async function findWaitingJob<Payload extends object>(
  { connection }: Transaction,
  { name, queue, key }: Job<Payload>,
  payload: Payload,
): Promise<string | undefined> {
  if (!key) return undefined
  await connection.flush()
  const [job] = await connection.run(selectWaitingJob(queue, keyOf(name, key(payload))))
  return job?.id
}

const keyOf = (name: string, key: string, at?: Date) => `${name} ${key}${at ? ` at ${at.toISOString()}` : ''}`
