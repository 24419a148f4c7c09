-- Needs a stop of earlier builds: they use the tables of a library, which are dropped with the jobs in them.
-- The queue of background work (server/src/queue). A job is enqueued in the transaction of its cause.

drop schema if exists pgboss cascade;

create schema queue;

create table queue.jobs (
  id uuid primary key default gen_random_uuid(),
  queue text not null,
  org_id uuid,
  key text,
  resource text,
  data jsonb not null,
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  heartbeat_at timestamptz,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table queue.jobs is
  'Jobs that wait or run. A job that has ended is deleted; one that failed waits again.';
comment on column queue.jobs.org_id is 'Null for messages of a PMS that belong to no organization.';
comment on column queue.jobs.key is 'Two jobs with the same key are one job until it has been claimed.';
comment on column queue.jobs.resource is 'The external system that the job waits for.';
comment on column queue.jobs.attempts is 'Counted when a worker claims the job: with the id it names the claim.';
comment on column queue.jobs.heartbeat_at is
  'When the worker that runs the job was last seen; null while the job waits.';

create unique index jobs_by_key on queue.jobs (queue, key) where attempts = 0;
create index jobs_waiting on queue.jobs (queue, due_at) where heartbeat_at is null;
create index jobs_running on queue.jobs (heartbeat_at) where heartbeat_at is not null;

alter table queue.jobs enable row level security, force row level security;
create policy tenant on queue.jobs to vacancy_app
  using (org_id is not distinct from current_org())
  with check (org_id is not distinct from current_org());
create policy worker on queue.jobs to vacancy_queue
  using (true);
create policy lookout on queue.jobs to vacancy_lookout
  using (true);

grant usage on schema queue to vacancy_app, vacancy_queue, vacancy_lookout;
-- A request changes a waiting job only to erase the data of a guest.
grant select, insert, update (data) on queue.jobs to vacancy_app;
grant select, update, delete on queue.jobs to vacancy_queue;
grant select on queue.jobs to vacancy_lookout;

-- The jobs of each queue that has any: ready ones, those that are due later, those that run, and since when
-- the oldest ready one waits.
create function queue_backlog()
returns table (queue text, ready integer, delayed integer, active integer, oldest_ready_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select
    job.queue,
    count(*) filter (where job.heartbeat_at is null and job.due_at <= now())::integer,
    count(*) filter (where job.heartbeat_at is null and job.due_at > now())::integer,
    count(job.heartbeat_at)::integer,
    min(job.due_at) filter (where job.heartbeat_at is null and job.due_at <= now())
  from queue.jobs job
  group by job.queue
$$;
alter function queue_backlog owner to vacancy_lookout;
grant execute on function queue_backlog to vacancy_app;
