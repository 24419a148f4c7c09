-- The jobs of an organization that is frozen or has moved are not claimed, so they are not ready, however long they have
-- been due: they count as delayed. Otherwise health check and alert ask for a worker, and an autoscaler adds some.
create or replace function queue_backlog()
returns table (queue text, ready integer, delayed integer, active integer, oldest_ready_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
set enable_seqscan = on
as $$
  select
    job.queue,
    count(*) filter (where job.is_ready)::integer,
    count(*) filter (where job.heartbeat_at is null and not job.is_ready)::integer,
    count(job.heartbeat_at)::integer,
    min(job.due_at) filter (where job.is_ready)
  from (
    select
      waiting.queue,
      waiting.due_at,
      waiting.heartbeat_at,
      waiting.heartbeat_at is null and waiting.due_at <= now() and move.org_id is null as is_ready
    from queue.jobs waiting
    left join organization_moves move on move.org_id = waiting.org_id
  ) job
  group by job.queue
$$;
