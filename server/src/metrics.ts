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
const limits = new Counter({
  name: 'vacancy_rate_limit_decisions_total',
  labelNames: ['limit', 'decision'],
  ...help('Requests that a limit let through or refused.'),
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
  readonly ms: number
}

export const metrics = {
  requestAnswered({ method: asked, route, status, ms }: Answered): void {
    const method = offered.has(asked) ? asked : 'other'
    requests.inc({ method, route, status })
    seconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000)
  },
  jobEnded(queue: string, job: string, outcome: 'completed' | 'failed', ms: number): void {
    jobs.inc({ queue, job, outcome })
    jobSeconds.observe({ queue, job }, ms / 1_000)
  },
  pushEnded: (outcome: 'completed' | 'retried' | 'failed', code = 'none'): void =>
    pushes.inc({ outcome, code }),
  limitDecided: (limit: string, decision: 'allowed' | 'refused'): void => limits.inc({ limit, decision }),
}

/** A value that is read when somebody asks. */
export const gauge = <Label extends string>(name: string, text: string, ...labelNames: Label[]) =>
  new Gauge<Label>({ name, labelNames, ...help(text) })

let isStarted = false

/** Begins to watch the process itself: memory, processor, event loop. Once, however often it is called. */
export function startMetrics(version: string): void {
  if (isStarted) return
  isStarted = true
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  // What it runs on is nobody's business.
  registry.removeSingleMetric('nodejs_version_info')
  build.set({ version }, 1)
}

export const metricsType: string = prometheusContentType
export const metricsText = (): Promise<string> => registry.metrics()
