import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  prometheusContentType,
  Registry,
} from 'prom-client'

/**
 * The Prometheus metrics of this process, one function for each thing that is counted. Labels have a fixed set of values:
 * never an id, an address, or anything that a caller could choose.
 */

const registry = new Registry()
const registers = [registry]
const help = (text: string) => ({ help: text, registers })

const requests = new Counter({
  name: 'http_requests_total',
  labelNames: ['method', 'route', 'status'],
  ...help('Requests answered.'),
})
const seconds = new Histogram({
  name: 'http_request_duration_seconds',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ...help('Time until the response was sent; the status is a class, such as 2xx.'),
})
const jobs = new Counter({
  name: 'vacancy_jobs_total',
  labelNames: ['queue', 'job', 'outcome'],
  ...help('Jobs that this process ran: completed or failed.'),
})
const jobSeconds = new Histogram({
  name: 'vacancy_job_duration_seconds',
  labelNames: ['queue', 'job'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  ...help('Time that a job took.'),
})
const tasks = new Counter({
  name: 'vacancy_periodic_tasks_total',
  labelNames: ['task', 'outcome'],
  ...help('Periodic tasks that this process ran: completed or failed.'),
})
const pushes = new Counter({
  name: 'vacancy_pushes_total',
  labelNames: ['outcome', 'code'],
  ...help('Attempts to push a listing to a PMS: completed, retried or failed, and why.'),
})
const pmsCalls = new Counter({
  name: 'vacancy_pms_calls_total',
  labelNames: ['provider', 'outcome'],
  ...help('Calls to a PMS: the status class of the response, such as 2xx, or why there was none.'),
})
const pmsSeconds = new Histogram({
  name: 'vacancy_pms_call_duration_seconds',
  labelNames: ['provider'],
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ...help('Time until a PMS had responded, or the call timed out.'),
})
const externalCalls = new Counter({
  name: 'vacancy_outside_calls_total',
  labelNames: ['system', 'operation', 'outcome'],
  ...help('Calls to systems other than a PMS: ok or failed.'),
})
const externalSeconds = new Histogram({
  name: 'vacancy_outside_call_duration_seconds',
  labelNames: ['system', 'operation'],
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ...help('Time that a call to a system other than a PMS took.'),
})
const reads = new Counter({
  name: 'vacancy_standby_reads_total',
  labelNames: ['outcome'],
  ...help(
    'Reads of many records: by the standby, or by the primary because the standby was behind, unreachable or paused.',
  ),
})
const readServers = ['standby', 'behind', 'unreachable', 'paused'] as const
// An alert compares them, so each is there from the start.
for (const outcome of readServers) reads.inc({ outcome }, 0)
const problems = new Counter({
  name: 'vacancy_problems_total',
  labelNames: ['code'],
  ...help('Requests answered with a problem document, by its code, such as booking-conflict.'),
})
const recordedEvents = new Counter({
  name: 'vacancy_events_total',
  labelNames: ['type'],
  ...help('Events of the records of all organizations, such as booking.created.'),
})
const deliveries = new Counter({
  name: 'vacancy_webhook_deliveries_total',
  labelNames: ['outcome'],
  ...help('Attempts to deliver an event to a webhook endpoint: delivered, retried, failed or gone.'),
})
const messages = new Counter({
  name: 'vacancy_notifications_total',
  labelNames: ['channel', 'outcome'],
  ...help('Attempts to send a mail or an SMS: sent, retried or failed.'),
})
const spans = new Counter({
  name: 'vacancy_trace_spans_total',
  labelNames: ['outcome'],
  ...help('Spans that ended: exported, not sampled, or dropped and why.'),
})
const storeUp = new Gauge({
  name: 'vacancy_rate_limit_store_up',
  ...help('Whether the store of the rate limits responds; while it is 0, every request is let through.'),
})
storeUp.set(1)
const limits = new Counter({
  name: 'vacancy_rate_limit_decisions_total',
  labelNames: ['limit', 'decision'],
  ...help('Requests that a rate limit allowed or refused; unchecked while its store did not respond.'),
})
const build = new Gauge({
  name: 'vacancy_build_info',
  labelNames: ['version'],
  ...help('Always 1; the version is in the label.'),
})

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

interface AnsweredRequest {
  readonly method: string
  /** The path template, or `unmatched`. */
  readonly route: string
  readonly status: number
  /** Null for a stream, which lasts as long as the client stays. */
  readonly ms: number | null
}

/** Where a read of many records was served: by the standby, or by the primary and why. */
export type ReadServer = (typeof readServers)[number]

export type ExportOutcome =
  | 'exported'
  | 'not_drawn'
  /** The collector rejected it or did not respond. */
  | 'export_failed'
  /** Too many spans were queued for the collector. */
  | 'queue_full'
  /** Its trace, or all traces together, had too many buffered spans. */
  | 'trace_full'
  /** Its trace took too long to end. */
  | 'too_late'
  /** Too many traces were open. */
  | 'too_many_traces'

export const metrics = {
  requestAnswered({ method: requested, route, status, ms }: AnsweredRequest): void {
    const method = knownMethods.has(requested) ? requested : 'other'
    requests.inc({ method, route, status })
    if (ms !== null) seconds.observe({ method, route, status: statusClass(status) }, ms / 1_000)
  },
  jobEnded(queue: string, job: string, outcome: 'completed' | 'failed', ms: number): void {
    jobs.inc({ queue, job, outcome })
    jobSeconds.observe({ queue, job }, ms / 1_000)
  },
  taskEnded: (task: string, outcome: 'completed' | 'failed'): void => tasks.inc({ task, outcome }),
  pushEnded: (outcome: 'completed' | 'retried' | 'failed', code = 'none', count = 1): void =>
    pushes.inc({ outcome, code }, count),
  /** `status` is null when there was no response; then `reason` says why. */
  pmsCallEnded(provider: string, status: number | null, ms: number, reason = 'failed'): void {
    pmsCalls.inc({
      provider,
      outcome: status === null ? reason : status === 429 ? '429' : statusClass(status),
    })
    if (ms > 0) pmsSeconds.observe({ provider }, ms / 1_000)
  },
  externalCallEnded(system: string, operation: string, outcome: 'ok' | 'failed', ms: number): void {
    externalCalls.inc({ system, operation, outcome })
    externalSeconds.observe({ system, operation }, ms / 1_000)
  },
  readServed: (by: ReadServer): void => reads.inc({ outcome: by }),
  problemAnswered: (code: string): void => problems.inc({ code }),
  eventRecorded: (type: string, count = 1): void => recordedEvents.inc({ type }, count),
  deliveryEnded: (outcome: 'delivered' | 'retried' | 'failed' | 'gone'): void => deliveries.inc({ outcome }),
  messageEnded: (channel: string, outcome: 'sent' | 'retried' | 'failed'): void =>
    messages.inc({ channel, outcome }),
  spansEnded: (outcome: ExportOutcome, count = 1): void => spans.inc({ outcome }, count),
  setRateLimitStoreUp: (isUp: boolean): void => storeUp.set(isUp ? 1 : 0),
  rateLimitDecided: (limit: string, decision: 'allowed' | 'refused' | 'unchecked'): void =>
    limits.inc({ limit, decision }),
}

const statusClass = (status: number) => `${Math.floor(status / 100)}xx`

/** A gauge that its owner sets when the metrics are read. */
export const gauge = <Label extends string>(name: string, text: string, ...labelNames: Label[]) =>
  new Gauge<Label>({ name, labelNames, ...help(text) })

let isStarted = false

/** Starts to collect memory, CPU and event loop metrics of the process. May be called more than once. */
export function startMetrics(version: string): void {
  if (isStarted) return
  isStarted = true
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  // The Node version helps attackers, and the others are gauges although they are named `_total`.
  for (const name of [
    'version_info',
    'active_resources_total',
    'active_handles_total',
    'active_requests_total',
  ])
    registry.removeSingleMetric(`nodejs_${name}`)
  build.set({ version }, 1)
}

export const metricsType: string = prometheusContentType
export const metricsText = (): Promise<string> => registry.metrics()
