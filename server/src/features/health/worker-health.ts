import { wordOf } from './health.ts'

/** What a worker cannot work without. */
export interface WorkerChecks {
  database(): Promise<boolean>
  /** The connection by which it claims jobs; it may use another login and another address than the database. */
  queue(): Promise<boolean>
}

/** How a worker is, in the words of the API's /health; `queues` are those that it works. */
export async function readWorkerHealth(checks: WorkerChecks, version: string, queues: readonly string[]) {
  const [database, queue] = await Promise.all([wordOf(checks.database), wordOf(checks.queue)])
  return {
    status: database === 'healthy' && queue === 'healthy' ? ('healthy' as const) : ('unhealthy' as const),
    timestamp: new Date().toISOString(),
    version,
    uptime: Math.round(process.uptime() * 1_000) / 1_000,
    queues,
    checks: { database, queue },
  }
}
