import type { Database } from '#db/connect.ts'
import type { Outbox, Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { metrics } from '#metrics.ts'
import { beginTrace, endTrace, within } from '#telemetry.ts'
import type { Verdict } from './dispatcher.ts'
import type { Envelope, Handler, QueueName, Run } from './job.ts'
import type { WorkerQueue } from './queue.ts'

export interface Bench {
  readonly queue: WorkerQueue
  readonly database: Database
  readonly outbox: Outbox
  readonly concurrency: number
}

/** Works the jobs of one queue until the queue is closed. */
export function work(bench: Bench, name: QueueName, handlers: readonly Handler[]): void {
  const byName = new Map(handlers.map((handler) => [handler.job.name, handler]))
  const families = handlers.filter(({ job }) => job.name.endsWith('.*'))
  const handlerOf = (job: string) =>
    byName.get(job) ?? families.find((one) => job.startsWith(one.job.name.slice(0, -1)))
  bench.queue.work(name, bench.concurrency, async ({ data }, run) => {
    const handler = handlerOf(data.job)
    return handler ? await runOne(bench, handler, data, run) : { failed: `Nobody handles ${data.job}.` }
  })
}

async function runOne(bench: Bench, handler: Handler, envelope: Envelope, run: Run): Promise<Verdict> {
  const { jobId } = run
  const trace = beginTrace(envelope.job, 'consumer', envelope.traceparent, {
    'vacancy.job.id': jobId,
    'vacancy.queue': handler.job.queue,
    'vacancy.org.id': envelope.org_id,
  })
  const scope: Scope = {
    orgId: envelope.org_id,
    accountId: envelope.account_id,
    actor: { type: 'system', id: 'worker', name: 'Vacancy' },
    traceparent: trace.traceparent,
    database: bench.database,
    outbox: bench.outbox,
  }
  const begun = performance.now()
  const ended = (outcome: 'completed' | 'failed') =>
    metrics.jobEnded(handler.job.queue, handler.job.name, outcome, performance.now() - begun)
  try {
    await within(trace, () => handler.run(scope, envelope.payload, run))
    endTrace(trace, { failed: false })
    ended('completed')
    return 'completed'
  } catch (error) {
    // What a handler does not foresee (the database away, a fault of ours) is tried again by the library.
    events.jobFailed({ job: envelope.job, jobId, orgId: envelope.org_id, traceId: trace.traceId, error })
    endTrace(trace, { failed: true })
    ended('failed')
    return { failed: (error as Error).message }
  }
}
