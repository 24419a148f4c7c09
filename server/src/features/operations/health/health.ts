import { Type } from 'typebox'
import { Timestamp, oneOf, text } from '#schema/fields.ts'

const healthStatuses = ['healthy', 'degraded', 'unhealthy'] as const
export type HealthStatus = (typeof healthStatuses)[number]
const Status = oneOf(...healthStatuses)
const describedStatus = (description: string) => Type.Unsafe<HealthStatus>({ ...Status, description })

/** The health of the service and its dependencies. Always returned with status 200. */
export const Health = Type.Object(
  {
    status: Status,
    timestamp: Timestamp,
    version: text(64),
    uptime: Type.Number({ minimum: 0, maximum: 1e12, description: 'Seconds since the process started.' }),
    checks: Type.Object({
      database: describedStatus('`degraded` while it responds but is read-only.'),
      ...{ redis: Status, payments: Status, pms: Status },
      notifications: describedStatus(
        'Whether this process receives notifications of changes by other processes. Without them, streams and sign-outs are delayed.',
      ),
      disk: describedStatus(
        'Whether the disks of the database and of this process have free space. Requests that need more are rejected.',
      ),
      queue: describedStatus(
        'Whether workers claim jobs in time. While it is `unhealthy`, changes are not sent to PMSs in time.',
      ),
    }),
  },
  { title: 'Health' },
)

/** The checks of the dependencies. One that is not configured is healthy. */
export interface HealthChecks {
  database(): Promise<boolean | HealthStatus>
  redis(): Promise<boolean>
  payments(): Promise<boolean>
  pms(): Promise<boolean>
  notifications(): Promise<boolean>
  disk(): Promise<boolean>
  queue(): Promise<boolean>
}

/** A check that takes longer than two seconds fails. */
export async function runCheck(check: () => Promise<boolean | HealthStatus>): Promise<HealthStatus> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false).unref())
  const result = await Promise.race([check().catch(() => false), timeout])
  return typeof result === 'string' ? result : result ? 'healthy' : 'unhealthy'
}

/** Nothing works without the database; without another dependency the service is degraded. */
export function overallStatus(checks: Record<keyof HealthChecks, HealthStatus>): HealthStatus {
  if (checks.database === 'unhealthy') return 'unhealthy'
  return Object.values(checks).some((status) => status !== 'healthy') ? 'degraded' : 'healthy'
}

/** The dependencies of a worker. */
export interface WorkerChecks {
  database(): Promise<boolean>
  /** The connection that claims jobs, which may use another login and address. */
  queue(): Promise<boolean>
}

/** The health of a worker, in the format of /health; `queues` are those that it runs. */
export async function readWorkerHealth(checks: WorkerChecks, version: string, queues: readonly string[]) {
  const [database, queue] = await Promise.all([runCheck(checks.database), runCheck(checks.queue)])
  return {
    status: database === 'healthy' && queue === 'healthy' ? ('healthy' as const) : ('unhealthy' as const),
    timestamp: new Date().toISOString(),
    version,
    uptime: Math.round(process.uptime() * 1_000) / 1_000,
    queues,
    checks: { database, queue },
  }
}
