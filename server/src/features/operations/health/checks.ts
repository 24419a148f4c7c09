import type { Config } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import { hasFreeSpace } from '#process/full-disk.ts'
import type { HealthChecks } from './health.ts'
import { sql } from '#db/sql.ts'

/** How long the results of expensive checks are reused. */
const cacheMs = 5_000

interface CheckedSystems {
  readonly config: Pick<Config, 'home'>
  readonly database: Database
  readonly counters: { isReachable(): Promise<boolean> }
  readonly payments: { isReachable(): Promise<boolean> }
  readonly pms: { isReachable(): Promise<boolean | null> }
}

/** The checks of `/health`. */
export const buildHealthChecks = (
  { config, database, counters, payments, pms }: CheckedSystems,
  receivesNotifications: () => boolean,
): HealthChecks => ({
  database: async () => ((await isReadOnly(database)) ? 'degraded' : 'healthy'),
  notifications: () => Promise.resolve(receivesNotifications()),
  redis: () => counters.isReachable(),
  payments: () => payments.isReachable(),
  pms: () => pms.isReachable().then((answer) => answer ?? true),
  disk: cached(
    async () => (await hasFreeSpace(config.home)) && (await hasDatabaseDiskSpace(database)),
    cacheMs,
  ),
  queue: cached(async () => (await listOverdueJobs(database)).length === 0, cacheMs),
})

/** Reuses a result for a while. Errors are not reused. */
export function cached<T>(read: () => Promise<T>, maxAgeMs: number): () => Promise<T> {
  let last: { at: number; result: Promise<T> } | undefined
  return () => {
    if (last && performance.now() - last.at < maxAgeMs) return last.result
    const current = { at: performance.now(), result: read() }
    last = current
    current.result.catch(() => {
      if (last === current) last = undefined
    })
    return current.result
  }
}

/** A ready job that no worker has claimed for this long is overdue. An idle worker claims one within half a second. */
const overdueAfterSeconds = 30

export interface OverdueJobs {
  readonly queue: string
  readonly jobs: number
  readonly oldest_seconds: number
}

export const ping = (database: Database): Promise<boolean> =>
  database.pipelined({ orgId: null }, [sql`select 1`]).then(() => true)

/** Whether the database is read-only: a standby, or set so by its administrator. */
export async function isReadOnly(database: Database): Promise<boolean> {
  const [rows] = await database.pipelined({ orgId: null }, [
    sql<{ is_read_only: boolean }>`select current_setting('transaction_read_only') = 'on' as is_read_only`,
  ])
  return rows[0]!.is_read_only
}

/**
 * Whether the disk of the database has free space. PostgreSQL has no function for it, so a result of half a megabyte is
 * spilled to a temporary file, which leaves no row, no WAL record and nothing to clean up.
 */
export async function hasDatabaseDiskSpace(database: Database): Promise<boolean> {
  try {
    await database.pipelined({ orgId: null }, [
      sql`select set_config('work_mem', '64kB', true)`,
      sql`select count(*) from generate_series(1, 40000)`,
    ])
    return true
  } catch (error) {
    // Another check tells whether the database responds at all.
    return (error as { code?: unknown }).code !== '53100'
  }
}

/** Ready jobs that no worker claims: none runs, its connection is lost, or it cannot keep up. */
export async function listOverdueJobs(database: Database): Promise<OverdueJobs[]> {
  const [rows] = await database.pipelined({ orgId: null }, [
    sql<OverdueJobs>`
      select
        queue,
        ready as jobs,
        extract(epoch from now() - oldest_ready_at)::float8 as oldest_seconds
      from queue_backlog()
      where oldest_ready_at < now() - make_interval(secs => ${overdueAfterSeconds}::int)
      order by queue`,
  ])
  return rows
}
