import { statfs } from 'node:fs/promises'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { gauge } from '#telemetry/metrics.ts'
import { queueNames } from '#queue/job.ts'
import { cached } from '#features/operations/health/checks.ts'
import { providers } from '#features/distribution/channel-targets/channel-target.ts'
import type { SecretAge } from '#features/operations/secret-ages/secret-ages.ts'

/** Gauges that are read when Prometheus scrapes. A value that cannot be read is left out; reading never fails. */

const databaseUp = gauge('vacancy_database_up', 'Whether the database responds.')
// Only API processes set it. The library gives it the value 0, with which a worker would say that the database is down.
databaseUp.remove()
const queueJobs = gauge(
  'vacancy_queue_jobs',
  'Jobs of all processes: ready, delayed or active.',
  'queue',
  'state',
)
const oldestJob = gauge(
  'vacancy_queue_oldest_seconds',
  'Time since the oldest ready job became ready.',
  'queue',
)
const pendingListings = gauge(
  'vacancy_sync_pending_listings',
  'Listings with changes that the PMS has not accepted.',
  'provider',
)
const syncLag = gauge(
  'vacancy_sync_oldest_pending_seconds',
  'Time since the oldest change that a PMS has not accepted.',
  'provider',
)
const expiredRows = gauge(
  'vacancy_expired_rows',
  'Rows past their retention that are not deleted yet, counted up to 10,000.',
  'table',
)
const partitionSeconds = gauge(
  'vacancy_partitions_ahead_seconds',
  'For how long from now a table has partitions. Later rows would be refused.',
  'table',
)
const expiredPartitions = gauge(
  'vacancy_expired_partitions',
  'Partitions past their retention that are not dropped yet.',
  'table',
)

/** The database is queried at most once in this time, however many scrapers there are. */
const cacheMs = 5_000
const timeoutMs = 2_000

/** Updates the gauges that are the same for all processes. */
export function backlogGauges(database: Database, notificationDays: number): () => Promise<void> {
  const update = async () => {
    const timeout = new Promise<null>((resolve) => setTimeout(resolve, timeoutMs, null).unref())
    const backlog = await Promise.race([readBacklog(database, notificationDays).catch(() => null), timeout])
    databaseUp.set(backlog ? 1 : 0)
    // Unknown values are removed, so that old ones do not look current.
    for (const one of [
      queueJobs,
      oldestJob,
      pendingListings,
      syncLag,
      expiredRows,
      partitionSeconds,
      expiredPartitions,
    ])
      one.reset()
    if (!backlog) return
    for (const { queue, ready, delayed, active, oldest_seconds } of backlog.queues) {
      queueJobs.set({ queue, state: 'ready' }, ready)
      queueJobs.set({ queue, state: 'delayed' }, delayed)
      queueJobs.set({ queue, state: 'active' }, active)
      oldestJob.set({ queue }, oldest_seconds)
    }
    for (const { kind, expired } of backlog.expired) expiredRows.set({ table: kind }, expired)
    for (const { name, days_ahead, expired } of backlog.partitions) {
      partitionSeconds.set({ table: name }, days_ahead * 86_400)
      expiredPartitions.set({ table: name }, expired)
    }
    for (const provider of providers) for (const one of [pendingListings, syncLag]) one.set({ provider }, 0)
    for (const { provider, listings, oldest_seconds } of backlog.syncs) {
      pendingListings.set({ provider }, listings)
      syncLag.set({ provider }, oldest_seconds)
    }
  }
  return cached(update, cacheMs)
}

interface QueueRow {
  readonly queue: string
  readonly ready: number
  readonly delayed: number
  readonly active: number
  readonly oldest_seconds: number
}

interface SyncLagRow {
  readonly provider: string
  readonly listings: number
  readonly oldest_seconds: number
}

interface ExpiredRow {
  readonly kind: string
  readonly expired: number
}

interface PartitionsRow {
  readonly name: string
  readonly days_ahead: number
  readonly expired: number
}

async function readBacklog(database: Database, notificationDays: number) {
  const [queues, syncs, expired, partitions] = await database.pipelined({ orgId: null }, [
    sql<QueueRow>`
      select
        name as queue,
        coalesce(ready, 0) as ready,
        coalesce(delayed, 0) as delayed,
        coalesce(active, 0) as active,
        coalesce(extract(epoch from now() - oldest_ready_at), 0)::float8 as oldest_seconds
      from unnest(${queueNames}::text[]) as name
      left join queue_backlog() on queue = name`,
    sql<SyncLagRow>`select provider, listings, oldest_seconds from sync_lag()`,
    sql<ExpiredRow>`select kind, expired from expired_rows(${notificationDays}::int)`,
    sql<PartitionsRow>`select name, days_ahead, expired from partition_states()`,
  ])
  return { queues, syncs, expired, partitions }
}

const connections = gauge(
  'vacancy_database_connections',
  'Connections of this process to the database.',
  'state',
)
const waitingForConnection = gauge(
  'vacancy_database_waiting',
  'Callers in this process that wait for a connection to the database.',
)
const freeBytes = gauge('vacancy_home_free_bytes', 'Free space on the disk of VACANCY_HOME.')
const sizeBytes = gauge('vacancy_home_size_bytes', 'Size of the disk of VACANCY_HOME.')

const clock = gauge('vacancy_time_seconds', 'The time by the clock of this process, as seconds since 1970.')

/** Updates the gauges of this process. */
export const processGauges =
  (database: Pick<Database, 'stats'>, home: string): (() => Promise<void>) =>
  async () => {
    const { total, idle, waiting } = database.stats()
    connections.set({ state: 'busy' }, total - idle)
    connections.set({ state: 'idle' }, idle)
    waitingForConnection.set(waiting)
    clock.set(Date.now() / 1_000)
    // The folder is created with the first file; until then the working directory is on the same disk.
    const disk = await statfs(home).catch(() => statfs('.').catch(() => null))
    if (!disk) return
    freeBytes.set(disk.bavail * disk.bsize)
    sizeBytes.set(disk.blocks * disk.bsize)
  }

const secretAge = gauge('vacancy_secret_age_seconds', 'How long a secret has been in use.', 'name', 'kind')
const maxSecretAge = gauge(
  'vacancy_secret_max_age_seconds',
  'The age at which a secret must be changed.',
  'name',
  'kind',
)
const secondsPerDay = 86_400

/** Updates the gauges of secrets. */
export function secretGauges(readAges: () => Promise<SecretAge[]>): () => Promise<void> {
  return async () => {
    const ages = await readAges().catch(() => [])
    for (const one of [secretAge, maxSecretAge]) one.reset()
    for (const { name, kind, ageDays, maxDays } of ages) {
      secretAge.set({ name, kind }, ageDays * secondsPerDay)
      maxSecretAge.set({ name, kind }, maxDays * secondsPerDay)
    }
  }
}
