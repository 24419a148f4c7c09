import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'

/** A job that nobody has taken for so long is overdue: an idle worker takes one within half a second. */
export const overdueAfterSeconds = 30

export interface OverdueJobs {
  readonly queue: string
  readonly jobs: number
  readonly oldest_seconds: number
}

export const databaseAnswers = (database: Database): Promise<boolean> =>
  database.pipelined({ orgId: null }, [sql`select 1`]).then(() => true)

/** Whether the database takes changes: a standby does not, nor one whose administrator has made it read-only. */
export async function isReadOnly(database: Database): Promise<boolean> {
  const [rows] = await database.pipelined({ orgId: null }, [
    sql`select current_setting('transaction_read_only') = 'on' as is_read_only`,
  ])
  return (rows as { is_read_only: boolean }[])[0]!.is_read_only
}

/**
 * Whether the disk of the database has room. PostgreSQL has no function for it, so half a megabyte of a result is put
 * where results go that exceed the memory: that leaves no row, no log record and nothing to clean up.
 */
export async function hasDatabaseRoom(database: Database): Promise<boolean> {
  try {
    await database.pipelined({ orgId: null }, [
      sql`select set_config('work_mem', '64kB', true)`,
      sql`select count(*) from generate_series(1, 40000)`,
    ])
    return true
  } catch (error) {
    // Whether the database answers at all is another question.
    return (error as { code?: unknown }).code !== '53100'
  }
}

/** Jobs that are ready and that nobody takes: no worker runs, or its connection is dead, or it cannot keep up. */
export async function listOverdueJobs(database: Database): Promise<OverdueJobs[]> {
  const [rows] = await database.pipelined({ orgId: null }, [
    sql`select name as queue, count(*)::int as jobs,
        extract(epoch from now() - min(greatest(created_on, start_after)))::float8 as oldest_seconds
      from pgboss.job
      where state < 'active' and not blocked and name not like '\\_\\_%'
        and greatest(created_on, start_after) < now() - make_interval(secs => ${overdueAfterSeconds}::int)
      group by name order by name`,
  ])
  return rows as OverdueJobs[]
}
