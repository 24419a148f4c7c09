import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'

interface QueueFigures {
  readonly queue: string
  readonly ready: number
  readonly delayed: number
  readonly active: number
  readonly oldest_seconds: number
}

interface SyncFigures {
  readonly provider: string
  readonly listings: number
  readonly oldest_seconds: number
}

interface ExpiredFigures {
  readonly kind: string
  readonly expired: number
}

/** Waiting jobs from the index that they are fetched by; those worked on as the queue counted them last. */
export async function readBacklog(
  database: Database,
  notificationDays: number,
): Promise<{ queues: QueueFigures[]; syncs: SyncFigures[]; expired: ExpiredFigures[] }> {
  const [queues, syncs, expired] = await database.pipelined({ orgId: null }, [
    sql`select q.name as queue, coalesce(j.ready, 0) as ready, coalesce(j.delayed, 0) as delayed,
        q.active_count as active, coalesce(j.oldest, 0)::float8 as oldest_seconds
      from pgboss.queue q left join (
        select name, count(*) filter (where start_after <= now()) as ready,
          count(*) filter (where start_after > now()) as delayed,
          extract(epoch from now() - min(greatest(created_on, start_after)) filter (where start_after <= now())) as oldest
        from pgboss.job where state < 'active' and not blocked group by name) j on j.name = q.name
      where not q.name like '\\_\\_%'`,
    sql`select provider, listings, oldest_seconds from sync_lag()`,
    sql`select kind, expired from expired_rows(${notificationDays}::int)`,
  ])
  return {
    queues: queues as QueueFigures[],
    syncs: syncs as SyncFigures[],
    expired: expired as ExpiredFigures[],
  }
}
