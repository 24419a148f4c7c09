import type { Database } from '#db/connect.ts'
import type { Scope } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import { endTrace, runInTrace, startTrace } from '#telemetry/tracing.ts'
import type { JobResult } from './dispatcher.ts'
import type { Handler, JobRun, QueueName } from './job.ts'
import type { Envelope } from './queries.ts'
import type { WorkerQueue } from './queue.ts'

interface WorkerContext {
  readonly queue: WorkerQueue
  readonly database: Database
  readonly concurrency: number
}

/** Runs the jobs of one queue until the queue is closed. */
export function runJobs(context: WorkerContext, name: QueueName, handlers: readonly Handler[]): void {
  const byName = new Map(handlers.map((handler) => [handler.job.name, handler]))
  const wildcards = handlers.filter(({ job }) => job.name.endsWith('.*'))
  const findHandler = (name: string) =>
    byName.get(name) ?? wildcards.find(({ job }) => name.startsWith(job.name.slice(0, -1)))
  context.queue.work(name, context.concurrency, async ({ data }, run) => {
    const handler = findHandler(data.job)
    if (handler) return await runJob(context, handler, data, run)
    const error = new Error(`No handler for ${data.job}.`)
    events.jobFailed({ job: data.job, jobId: run.jobId, orgId: data.org_id, error })
    return 'failed'
  })
}

async function runJob(
  { database }: WorkerContext,
  handler: Handler,
  envelope: Envelope,
  run: JobRun,
): Promise<JobResult> {
  const { jobId } = run
  const trace = startTrace(envelope.job, 'consumer', envelope.traceparent, {
    'vacancy.job.id': jobId,
    'vacancy.queue': handler.job.queue,
    'vacancy.org.id': envelope.org_id,
  })
  const scope: Scope = {
    orgId: envelope.org_id,
    accountId: envelope.account_id,
    actor: { type: 'system', id: 'worker', name: 'Vacancy' },
    traceparent: trace.traceparent,
    database,
  }
  const startedAt = performance.now()
  const recordOutcome = (outcome: JobResult) =>
    metrics.jobEnded(handler.job.queue, handler.job.name, outcome, performance.now() - startedAt)
  try {
    await runInTrace(trace, () => handler.run(scope, envelope.payload, run))
    endTrace(trace, { failed: false })
    recordOutcome('completed')
    return 'completed'
  } catch (error) {
    // The queue retries what a handler does not expect: a database that is away, a defect of ours.
    events.jobFailed({ job: envelope.job, jobId, orgId: envelope.org_id, traceId: trace.traceId, error })
    endTrace(trace, { failed: true })
    recordOutcome('failed')
    return 'failed'
  }
}
