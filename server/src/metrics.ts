import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  prometheusContentType,
  Registry,
} from 'prom-client'

/**
 * What this process counts, for Prometheus: one function for each event, as with the log. Labels are names of ours;
 * never an id, an address, or anything that a caller could make up.
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
  ...help('Time until the answer was sent; the status is a class, such as 2xx.'),
})
const jobs = new Counter({
  name: 'vacancy_jobs_total',
  labelNames: ['queue', 'job', 'outcome'],
  ...help('Jobs that this process worked on: completed or failed.'),
})
const jobSeconds = new Histogram({
  name: 'vacancy_job_duration_seconds',
  labelNames: ['queue', 'job'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  ...help('Time that a job took.'),
})
const pushes = new Counter({
  name: 'vacancy_pushes_total',
  labelNames: ['outcome', 'code'],
  ...help('Attempts to bring a PMS up to date with a listing: completed, retried or failed, and why.'),
})
const pmsCalls = new Counter({
  name: 'vacancy_pms_calls_total',
  labelNames: ['provider', 'outcome'],
  ...help('Calls to a PMS: the class of the answer, such as 2xx, or why there was none.'),
})
const pmsSeconds = new Histogram({
  name: 'vacancy_pms_call_duration_seconds',
  labelNames: ['provider'],
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ...help('Time until a PMS had answered, or was not waited for any longer.'),
})
const outsideCalls = new Counter({
  name: 'vacancy_outside_calls_total',
  labelNames: ['system', 'operation', 'outcome'],
  ...help('Calls to systems other than a PMS: ok or failed.'),
})
const outsideSeconds = new Histogram({
  name: 'vacancy_outside_call_duration_seconds',
  labelNames: ['system', 'operation'],
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ...help('Time that a call to one of them took.'),
})
const problems = new Counter({
  name: 'vacancy_problems_total',
  labelNames: ['code'],
  ...help('Requests answered with a problem document, by its code, such as booking-conflict.'),
})
const happened = new Counter({
  name: 'vacancy_events_total',
  labelNames: ['type'],
  ...help('What happened to the records of all organizations, such as booking.created.'),
})
const deliveries = new Counter({
  name: 'vacancy_webhook_deliveries_total',
  labelNames: ['outcome'],
  ...help('Attempts to tell a webhook endpoint of an event: delivered, retried, failed or gone.'),
})
const messages = new Counter({
  name: 'vacancy_notifications_total',
  labelNames: ['channel', 'outcome'],
  ...help('Attempts to write to somebody: sent, retried or failed.'),
})
const spans = new Counter({
  name: 'vacancy_trace_spans_total',
  labelNames: ['outcome'],
  ...help('Spans that ended: exported, not drawn, or lost and why.'),
})
const storeUp = new Gauge({
  name: 'vacancy_rate_limit_store_up',
  ...help('Whether the store of the rate limits answers this process; 0 lets every request through.'),
})
const limits = new Counter({
  name: 'vacancy_rate_limit_decisions_total',
  labelNames: ['limit', 'decision'],
  ...help('Requests that a limit let through or refused; unchecked while its store was away.'),
})
const build = new Gauge({
  name: 'vacancy_build_info',
  labelNames: ['version'],
  ...help('Always 1; the version is in the label.'),
})

const offered: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

interface Answered {
  readonly method: string
  /** The template, or `unmatched`. */
  readonly route: string
  readonly status: number
  /** Null when its length says nothing, as of a stream. */
  readonly ms: number | null
}

export type SpanOutcome =
  | 'exported'
  | 'not_drawn'
  /** The collector did not take it. */
  | 'export_failed'
  /** Too much waited for the collector. */
  | 'queue_full'
  /** One trace had too many spans, or all that were held together. */
  | 'trace_full'
  /** Its trace took too long to end. */
  | 'too_late'
  /** Too many traces were open. */
  | 'too_many_traces'

export const metrics = {
  requestAnswered({ method: asked, route, status, ms }: Answered): void {
    const method = offered.has(asked) ? asked : 'other'
    requests.inc({ method, route, status })
    if (ms !== null) seconds.observe({ method, route, status: classOf(status) }, ms / 1_000)
  },
  jobEnded(queue: string, job: string, outcome: 'completed' | 'failed', ms: number): void {
    jobs.inc({ queue, job, outcome })
    jobSeconds.observe({ queue, job }, ms / 1_000)
  },
  pushEnded: (outcome: 'completed' | 'retried' | 'failed', code = 'none'): void =>
    pushes.inc({ outcome, code }),
  /** `status` is null when there was no answer: then there is a word for why. */
  pmsAnswered(provider: string, status: number | null, ms: number, reason = 'failed'): void {
    pmsCalls.inc({ provider, outcome: status === null ? reason : status === 429 ? '429' : classOf(status) })
    if (ms > 0) pmsSeconds.observe({ provider }, ms / 1_000)
  },
  outsideAnswered(system: string, operation: string, outcome: 'ok' | 'failed', ms: number): void {
    outsideCalls.inc({ system, operation, outcome })
    outsideSeconds.observe({ system, operation }, ms / 1_000)
  },
  problemAnswered: (code: string): void => problems.inc({ code }),
  eventHappened: (type: string, count = 1): void => happened.inc({ type }, count),
  deliveryEnded: (outcome: 'delivered' | 'retried' | 'failed' | 'gone'): void => deliveries.inc({ outcome }),
  messageEnded: (channel: string, outcome: 'sent' | 'retried' | 'failed'): void =>
    messages.inc({ channel, outcome }),
  spansEnded: (outcome: SpanOutcome, count = 1): void => spans.inc({ outcome }, count),
  limitStoreAnswers: (isUp: boolean): void => storeUp.set(isUp ? 1 : 0),
  limitDecided: (limit: string, decision: 'allowed' | 'refused' | 'unchecked'): void =>
    limits.inc({ limit, decision }),
}

const classOf = (status: number) => `${Math.floor(status / 100)}xx`

/** A value that is read when somebody asks. */
export const gauge = <Label extends string>(name: string, text: string, ...labelNames: Label[]) =>
  new Gauge<Label>({ name, labelNames, ...help(text) })

let isStarted = false

/** Begins to watch the process itself: memory, processor, event loop. Once, however often it is called. */
export function startMetrics(version: string): void {
  if (isStarted) return
  isStarted = true
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  // What it runs on is nobody's business, and these are gauges that call themselves totals.
  for (const name of [
    'version_info',
    'active_resources_total',
    'active_handles_total',
    'active_requests_total',
  ])
    registry.removeSingleMetric(`nodejs_${name}`)
  build.set({ version }, 1)
  storeUp.set(1)
}

export const metricsType: string = prometheusContentType
export const metricsText = (): Promise<string> => registry.metrics()
