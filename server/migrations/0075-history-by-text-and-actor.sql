-- The history by a text or an actor: all of it was read for what few or no entries have, 200 to 550 ms of a million.

create index audit_entries_of_actor on audit_entries (org_id, (actor ->> 'id'), (actor ->> 'name'));
create index sync_audit_of_actor on sync_audit (org_id, (actor ->> 'id'), (actor ->> 'name'))
  where action !~ '^(sync|listing|target)[.]';
-- Merged at 512 kB instead of 64 (db/statements.ts): an entry costs 10 us more than without this index, instead of 30.
create index audit_entries_named on audit_entries using gin (org_id, name gin_trgm_ops)
  with (gin_pending_list_limit = 512);

-- These indexes are not used under row-level security.
create policy lookout on audit_entries for select to vacancy_lookout
  using (true);
create policy lookout on sync_audit for select to vacancy_lookout
  using (true);
grant select on audit_entries to vacancy_lookout;

-- What people decided, as the history has it.
create function decided_by(ids text[], max_entries integer)
returns table (id uuid, created_at timestamptz)
language sql stable
set search_path = public, pg_temp
set enable_seqscan = off
as $$
  (
    select entry.id, entry.created_at
    from audit_entries entry
    where entry.org_id = current_org() and entry.actor ->> 'id' = any (ids)
    limit max_entries
  )
  union all
  (
    select entry.id, entry.created_at
    from sync_audit entry
    where entry.org_id = current_org() and entry.actor ->> 'id' = any (ids) and entry.action !~ '^(sync|listing|target)[.]'
    limit max_entries
  )
$$;
comment on function decided_by is 'Entries of the history by their actors.';

-- The actors are few: each is found by one step of an index.
create function actors_named(pattern text, max_actors integer)
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
    coalesce(array_agg(distinct id) filter (where name ilike pattern), '{}') end
  from known
$$;
comment on function actors_named is 'The ids of the actors of the history with such a name; null when there are too many actors.';

create function few_decisions(part text, actors text[], out ids uuid[], out times timestamptz[])
language plpgsql stable security definer
set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  most constant integer := 1000;
  pattern text := '%' || regexp_replace(part, '([\\%_])', '\\\1', 'g') || '%';
  sample text[];
begin
  if actors is null then
    sample := array(
      select lower(name)
      from audit_entries
      where org_id = current_org()
      order by org_id, record_id
      limit 400
    );
    if part !~ '[[:alnum:]]{3}' or is_frequent(sample, array[lower(pattern)]) then
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
      where entry.org_id = current_org() and entry.name ilike pattern
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
comment on function few_decisions is
  'The entries of the history that have the text in their name, or in that of their actor, or are of these actors; null when '
  'they are many: then a page is read faster in the order of the list.';
alter function few_decisions owner to vacancy_lookout;
grant execute on function decided_by, actors_named to vacancy_lookout;
grant execute on function few_decisions to vacancy_app;
