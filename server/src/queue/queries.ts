import { sql } from 'kysely'
import type { PgBoss } from 'pg-boss'
import type { Connection } from '#db/connect.ts'
import type { Allowance } from './fair-shares.ts'
import type { ClaimedJob } from './job.ts'

/** The least privileges on the tables of the library: one role enqueues jobs, the other runs them. */
export const queueGrants = `
  grant usage on schema pgboss to vacancy_app, vacancy_queue;
  grant select on all tables in schema pgboss to vacancy_app;
  grant insert on pgboss.job, pgboss.job_common to vacancy_app;
  grant update (data, output) on pgboss.job to vacancy_app;
  grant select, insert, update, delete on all tables in schema pgboss to vacancy_queue;
  grant execute on all functions in schema pgboss to vacancy_app, vacancy_queue`

/**
 * Claims jobs as `fetch` of the library does, which cannot leave out resources. Of a slow resource only the oldest job
 * is claimed. `found` counts the due jobs: as many as the batch size means that there may be more.
 */
export async function claimJobs(
  boss: PgBoss,
  queue: string,
  { batchSize, fullOrgs, busyResources, slowResources }: Allowance,
): Promise<{ jobs: ClaimedJob[]; found: number }> {
  const { rows } = await boss
    .getDb()
    .executeSql(claimStatement, [queue, fullOrgs, busyResources, slowResources, batchSize])
  return { jobs: rows as ClaimedJob[], found: (rows[0] as { found: number } | undefined)?.found ?? 0 }
}

const claimStatement = `
  with due as (
    select job.id, job.group_tier, job.priority, job.created_on
    from pgboss.job
    where job.name = $1
      and job.state < 'active'
      and not job.blocked
      and job.start_after <= pgboss.job_now()
      and (job.group_id is null or job.group_id <> all ($2::text[]))
      and (job.group_tier is null or job.group_tier <> all ($3::text[]))
    order by job.priority desc, job.created_on
    limit $5
    for update of job skip locked
  ),
  ranked as (
    select
      id,
      group_tier,
      row_number() over (partition by group_tier order by priority desc, created_on) as place_in_resource
    from due
  )
  update pgboss.job
  set
    state = 'active',
    started_on = pgboss.job_now(),
    heartbeat_on = pgboss.job_now(),
    retry_count = case when job.started_on is null then job.retry_count else job.retry_count + 1 end
  from ranked
  where job.name = $1
    and job.id = ranked.id
    and (
      ranked.place_in_resource = 1
      or ranked.group_tier is null
      or ranked.group_tier <> all ($4::text[])
    )
  returning
    job.id,
    job.name,
    job.data,
    job.retry_count as "retryCount",
    job.expire_seconds as "expireInSeconds",
    job.group_id as "groupId",
    job.group_tier as "groupTier",
    (select count(*) from due)::int as found`

export async function findWaitingJobId(
  connection: Connection,
  queue: string,
  key: string,
): Promise<string | undefined> {
  const [row] = await connection.run(sql<{ id: string }>`
    select id
    from pgboss.job
    where name = ${queue} and singleton_key = ${key} and state = 'created'`)
  return row?.id
}
