import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'

/** What is stored with a payload: the organization it belongs to, and the trace it continues. */
export interface Envelope {
  readonly job: string
  readonly org_id: string
  readonly account_id: string | null
  readonly traceparent: string | null
  readonly payload: object
}

export interface NewJob {
  readonly id?: string | undefined
  readonly key?: string | undefined
  readonly resource?: string | undefined
  /** Absent means at once. */
  readonly dueAt?: Date | undefined
  /** Instead of a time: the delay by the clock of the database. */
  readonly delayMs?: number | undefined
  readonly data: Envelope
}

/** One attempt of a job, as a worker has claimed it. */
export interface ClaimedJob {
  readonly id: string
  readonly attempts: number
  readonly org_id: string | null
  readonly resource: string | null
  readonly data: Envelope
}

/** What one poll of the queue may claim. */
export interface Allowance {
  readonly batchSize: number
  /** Organizations and resources that get no further slot now. */
  readonly fullOrgs: readonly string[]
  readonly busyResources: readonly string[]
  /** Resources of which at most one job may be claimed. */
  readonly slowResources: readonly string[]
}

/** Workers are notified here of the queues that have new jobs. */
export const jobChannel = 'queue_jobs'

/**
 * Adds the jobs of an organization, except those whose key is that of a job that waits. Adding a key waits for another
 * transaction that has just added it, so that all transactions add keys in one order, which prevents deadlocks. Returns a
 * row if one of them is due.
 */
export const insertJobs = (
  queue: string,
  orgId: string | null,
  jobs: readonly NewJob[],
  onlyIf = sql`true`,
): Statement => sql`
  with added as (
    insert into queue.jobs (id, queue, org_id, key, resource, data, due_at)
    select
      coalesce(job.id, gen_random_uuid()),
      ${queue},
      ${orgId}::uuid,
      job.key,
      job.resource,
      job.data,
      coalesce(job."dueAt", now() + job."delayMs" * interval '1 millisecond', now())
    from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
      as job (id uuid, key text, resource text, data jsonb, "dueAt" timestamptz, "delayMs" integer)
    where ${onlyIf}
    order by job.key
    on conflict do nothing
    returning due_at
  )
  select
  from added
  where due_at <= now()
  limit 1`

export const notifyOfJobs = (queues: readonly string[]): Statement =>
  sql`select pg_notify(${jobChannel}, queue) from unnest(${queues}::text[]) queue`

export const selectWaitingJob = (queue: string, key: string): Statement<{ id: string }> => sql<{
  id: string
}>`
  select id
  from queue.jobs
  where queue = ${queue} and key = ${key} and attempts = 0`

/**
 * Claims due jobs, the oldest first, without those of full organizations, busy resources, and organizations that are frozen
 * or have moved. Of a slow resource only one job is claimed. `found` counts the due jobs: as many as the batch size means
 * that there may be more.
 */
export async function claimJobs(
  database: Database,
  queue: string,
  { batchSize, fullOrgs, busyResources, slowResources }: Allowance,
): Promise<{ jobs: ClaimedJob[]; found: number }> {
  const jobs = await run(
    database,
    sql<ClaimedJob & { found: number }>`
      with
        due as (
          select id, resource, due_at
          from queue.jobs job
          where queue = ${queue}
            and heartbeat_at is null
            and due_at <= now()
            and (org_id is null or org_id <> all (${fullOrgs}::uuid[]))
            and (resource is null or resource <> all (${busyResources}::text[]))
            and not exists (select from organization_moves move where move.org_id = job.org_id)
          order by due_at
          limit ${sql.lit(batchSize)}
          for update of job skip locked
        ),
        ranked as (
          select id, resource, row_number() over (partition by resource order by due_at) as place_in_resource
          from due
        )
      update queue.jobs job
      set heartbeat_at = now(), attempts = job.attempts + 1
      where job.id = any(array(
        select id
        from ranked
        where place_in_resource = 1
          or resource is null
          or resource <> all (${slowResources}::text[])
      ))
      returning
        job.id,
        job.attempts,
        job.org_id,
        job.resource,
        job.data,
        (select count(*) from due)::int as found`,
  )
  return { jobs, found: jobs[0]?.found ?? 0 }
}

/** A job that another worker has claimed since is left alone, here and below: its attempt is another one. */
export const deleteJobs = (database: Database, jobs: readonly ClaimedJob[]): Promise<unknown> =>
  run(
    database,
    sql`
      delete from queue.jobs job
      where ${isClaimed(jobs)}`,
  )

const maxAgeDays = 14

/** Retries failed jobs, later after each attempt and at most a minute later. One that fails for weeks is deleted. */
export const retryJobs = (database: Database, jobs: readonly ClaimedJob[]): Promise<unknown> =>
  database.pipelined({ orgId: null }, [
    sql`
      delete from queue.jobs job
      where ${isClaimed(jobs)}
        and job.created_at < now() - make_interval(days => ${maxAgeDays}::int)`,
    sql`
      update queue.jobs job
      set heartbeat_at = null, due_at = now() + make_interval(secs => least(job.attempts, 60))
      where ${isClaimed(jobs)}`,
  ])

/** Lets other workers run the jobs at once. */
export const releaseJobs = (database: Database, jobs: readonly ClaimedJob[]): Promise<unknown> =>
  run(
    database,
    sql`
      update queue.jobs job
      set heartbeat_at = null
      where ${isClaimed(jobs)}`,
  )

/** Releases the jobs of workers that have sent no heartbeat for 10 s. Returns how many. */
export const releaseAbandonedJobs = async (database: Database): Promise<number> => {
  const released = await run(
    database,
    sql`
      update queue.jobs
      set heartbeat_at = null
      where heartbeat_at < now() - interval '10 seconds'
      returning 1`,
  )
  return released.length
}

/** Returns the ids of the jobs that still belong to this worker. */
export async function sendHeartbeats(database: Database, jobs: readonly ClaimedJob[]): Promise<Set<string>> {
  const owned = await run(
    database,
    sql<{ id: string }>`
      update queue.jobs job
      set heartbeat_at = now()
      where ${isClaimed(jobs)} and job.heartbeat_at is not null
      returning job.id`,
  )
  return new Set(owned.map(({ id }) => id))
}

/** Makes this worker the scheduler, or renews its term. False while another one is. */
export async function renewTerm(database: Database, worker: string, seconds: number): Promise<boolean> {
  const renewed = await run(
    database,
    sql`
      update scheduler
      set worker = ${worker}, until = now() + make_interval(secs => ${seconds}::int)
      where only_row
        and (worker = ${worker} or until < now())
      returning 1`,
  )
  return renewed.length > 0
}

export const endTerm = (database: Database, worker: string): Promise<unknown> =>
  run(
    database,
    sql`
      update scheduler
      set until = now()
      where only_row
        and worker = ${worker}`,
  )

/** The list of ids finds them by the key, whatever the statistics say of a table that fills and empties all the time. */
const isClaimed = (jobs: readonly ClaimedJob[]) => {
  const ids = jobs.map(({ id }) => id)
  const attempts = jobs.map((job) => job.attempts)
  return sql`job.id = any(${ids}::uuid[])
        and (job.id, job.attempts) in (select * from unnest(${ids}::uuid[], ${attempts}::int[]))`
}

const run = async <Row>(database: Database, statement: Statement<Row>): Promise<Row[]> =>
  (await database.pipelined<[Row]>({ orgId: null }, [statement]))[0]
