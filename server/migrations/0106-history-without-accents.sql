-- The history by a text as the search compares it: "sao joao" finds "São João". The index takes the place of the one of 0075.
drop index audit_entries_named;
create index audit_entries_named on audit_entries using gin (org_id, search_key(name) gin_trgm_ops)
  with (gin_pending_list_limit = 512);

create or replace function actors_named(pattern text, max_actors integer)
returns text[]
language sql stable
set search_path = public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  with recursive entry_actor (id, name, step) as (
    (
      select actor ->> 'id', actor ->> 'name', 1
      from audit_entries
      where org_id = current_org()
      order by org_id, actor ->> 'id', actor ->> 'name'
      limit 1
    )
    union all
    select next.id, next.name, step + 1
    from entry_actor
    cross join lateral (
      select actor ->> 'id' as id, actor ->> 'name' as name
      from audit_entries
      where org_id = current_org() and (actor ->> 'id', actor ->> 'name') > (entry_actor.id, entry_actor.name)
      order by org_id, actor ->> 'id', actor ->> 'name'
      limit 1
    ) next
    where step <= max_actors
  ),
  decision_actor (id, name, step) as (
    (
      select actor ->> 'id', actor ->> 'name', 1
      from sync_audit
      where org_id = current_org() and action !~ '^(sync|listing|target)[.]'
      order by org_id, actor ->> 'id', actor ->> 'name'
      limit 1
    )
    union all
    select next.id, next.name, step + 1
    from decision_actor
    cross join lateral (
      select actor ->> 'id' as id, actor ->> 'name' as name
      from sync_audit
      where org_id = current_org()
        and action !~ '^(sync|listing|target)[.]'
        and (actor ->> 'id', actor ->> 'name') > (decision_actor.id, decision_actor.name)
      order by org_id, actor ->> 'id', actor ->> 'name'
      limit 1
    ) next
    where step <= max_actors
  ),
  known as (
    select * from entry_actor
    union all
    select * from decision_actor
  )
  select case when coalesce(max(step), 0) <= max_actors then
    coalesce(array_agg(distinct id) filter (where search_key(name) like pattern), '{}') end
  from known
$$;

create or replace function few_decisions(part text, actors text[], out ids uuid[], out times timestamptz[])
language plpgsql stable security definer
set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  most constant integer := 1000;
  pattern text := '%' || regexp_replace(search_key(part), '([\\%_])', '\\\1', 'g') || '%';
  sample text[];
begin
  if actors is null then
    sample := array(
      select search_key(name)
      from audit_entries
      where org_id = current_org()
      order by org_id, record_id
      limit 400
    );
    if search_key(part) !~ '[[:alnum:]]{3}' or is_frequent(sample, array[pattern]) then
      return;
    end if;
    actors := actors_named(pattern, 500);
    if actors is null then
      return;
    end if;
  else
    pattern := null;
  end if;

  select array_agg(found.id), array_agg(found.created_at)
  into ids, times
  from (
    select * from decided_by(actors, most + 1)
    union
    (
      select entry.id, entry.created_at
      from audit_entries entry
      where entry.org_id = current_org() and search_key(entry.name) like pattern
      limit most + 1
    )
  ) found;
  if cardinality(ids) > most then
    ids := null;
    times := null;
  elsif ids is null then
    ids := '{}';
    times := '{}';
  end if;
end $$;
