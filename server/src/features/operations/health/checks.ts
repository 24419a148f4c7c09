import type { Config } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import { hasFreeSpace } from '#process/full-disk.ts'
import type { HealthChecks } from './health.ts'
import { hasDatabaseDiskSpace, isReadOnly, listOverdueJobs } from './queries.ts'

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
function cached<T>(read: () => Promise<T>, maxAgeMs: number): () => Promise<T> {
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
