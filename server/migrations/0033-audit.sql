-- Who changed which record, and from what to what. A trigger writes it, so that no write is left out: neither of
-- the API and its workers, nor of a command, nor a deletion that follows from another.

create table audit_entries (
  id uuid not null default gen_random_uuid(),
  org_id uuid not null,
  kind text not null,
  record_id uuid not null,
  name text,
  currency text,
  action text not null check (action in ('created', 'updated', 'deleted')),
  actor jsonb not null,
  changes jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (org_id, created_at, id)
);
comment on table audit_entries is
  'Every change of a record that people set up. Like sync_audit, which has bookings and the calendar, it is kept '
  'for good and has no foreign keys. Only the trigger writes it; nobody changes or deletes a row.';
comment on column audit_entries.name is 'What the record was called then: it may be gone.';
comment on column audit_entries.currency is 'Of the amounts in the changes.';
comment on column audit_entries.changes is
  '[{field, before, after}] of the members as the API shows them; null for the default. Secrets and addresses '
  'have "not shown" in place of a value.';

create index audit_entries_of_record on audit_entries (org_id, record_id, created_at, id);
create index sync_audit_decisions on sync_audit (org_id, created_at, id)
  where action !~ '^(sync|listing|target)[.]';

alter table audit_entries enable row level security, force row level security;
create policy tenant on audit_entries to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy trigger_only on audit_entries for insert to vacancy_lookout
  with check (true);
grant select on audit_entries to vacancy_app;
grant insert on audit_entries to vacancy_lookout;

-- What differs, without what the system itself keeps current.
create function audit_changes(before jsonb, after jsonb, hidden text)
returns jsonb
language sql immutable parallel safe
set search_path = public, pg_temp
as $$
  select coalesce(
    jsonb_agg(
      case
        when field = any(string_to_array(hidden, ' '))
          then jsonb_build_object('field', field, 'before', 'not shown', 'after', 'not shown')
        else jsonb_build_object('field', field, 'before', before -> field, 'after', after -> field)
      end
      order by field
    ),
    '[]'
  )
  from jsonb_object_keys(coalesce(before, '{}') || coalesce(after, '{}')) field
  where nullif(before -> field, 'null') is distinct from nullif(after -> field, 'null')
    and field <> all(array[
      'id', 'org_id', 'created_at', 'updated_at', 'error_message', 'last_health_check_at',
      'last_fetched_at', 'last_delivery_at', 'failing_since', 'blocks', 'held', 'key', 'checksum', 'renditions',
      'url'
    ])
    -- A record that is new, or gone, has the account of its space.
    and (field <> 'account_id' or before is not null and after is not null)
    -- The health of a connection is no decision.
    and not coalesce(
      field = 'status'
      and before ->> field in ('pending', 'active', 'error')
      and after ->> field in ('pending', 'active', 'error'),
      false
    )
$$;

-- Arguments: the kind; a member whose own members count as those of the record; the members whose values are not
-- shown; the column with the time at which a secret was set.
create function record_audit()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  before jsonb;
  after jsonb;
  organization uuid;
  record uuid;
  name text;
  currency text;
  verb text := case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end;
  changes jsonb;
begin
  if tg_argv[0] = 'member' then
    if tg_op <> 'INSERT' then
      before := jsonb_build_object('name', old.name, 'email', old.email, 'role', old.role, 'status', old.status);
    end if;
    if tg_op <> 'DELETE' then
      after := jsonb_build_object('name', new.name, 'email', new.email, 'role', new.role, 'status', new.status);
    end if;
  else
    if tg_op <> 'INSERT' then
      before := old.json::jsonb;
    end if;
    if tg_op <> 'DELETE' then
      after := new.json::jsonb;
    end if;
  end if;
  if tg_op = 'DELETE' then
    record := old.id;
    organization := old.org_id;
  elsif tg_argv[0] = 'organization' then
    record := new.id;
    organization := new.id;
  else
    record := new.id;
    organization := new.org_id;
  end if;
  name := coalesce(
    coalesce(after, before) ->> 'name',
    coalesce(after, before) ->> 'email',
    substring(coalesce(after, before) ->> 'url' from '^https?://([^/?#]+)')
  );
  currency := coalesce(after, before) ->> 'currency';
  if tg_argv[0] = 'channel_listing' then
    select unit.name
    into name
    from units unit
    where unit.org_id = organization
      and unit.id = (coalesce(after, before) ->> 'unit_id')::uuid;
  end if;
  if tg_argv[0] in ('unit', 'space') and tg_op = 'UPDATE' then
    if old.deleted_at is null and new.deleted_at is not null then
      after := null;
      verb := 'deleted';
    end if;
  end if;
  if tg_argv[1] <> '' then
    before := before - tg_argv[1] || coalesce(before -> tg_argv[1], '{}');
    after := after - tg_argv[1] || coalesce(after -> tg_argv[1], '{}');
  end if;
  changes := audit_changes(before, after, tg_argv[2]);
  if tg_argv[3] <> '' and tg_op = 'UPDATE' then
    if to_jsonb(old) -> tg_argv[3] is distinct from to_jsonb(new) -> tg_argv[3] then
      changes := changes || jsonb_build_array(
        jsonb_build_object('field', 'secret', 'before', 'not shown', 'after', 'not shown')
      );
    end if;
  end if;
  if verb = 'updated' and changes = '[]' then
    return null;
  end if;
  insert into audit_entries (org_id, kind, record_id, name, currency, action, actor, changes)
  values (
    organization, tg_argv[0], record, name, currency, verb,
    coalesce(
      nullif(current_setting('app.actor', true), '')::jsonb,
      '{"type": "system", "id": "command-line", "name": "Command line"}'
    ),
    changes
  );
  return null;
end
$$;
alter function audit_changes owner to vacancy_lookout;
alter function record_audit owner to vacancy_lookout;

create function audit_table(audited regclass, variadic arguments text[])
returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  execute format(
    'create trigger audited after insert or update or delete on %s for each row execute function record_audit(%s)',
    audited,
    (select string_agg(quote_literal(argument), ', ') from unnest(arguments) argument)
  );
end
$$;
select
  audit_table('accounts', 'account', '', '', ''),
  audit_table('calendar_feeds', 'calendar_feed', '', '', ''),
  audit_table('channel_listings', 'channel_listing', '', '', ''),
  audit_table('channel_targets', 'channel_target', 'config', 'credentials', 'credentials_set_at'),
  audit_table('charges', 'charge', '', '', ''),
  audit_table('media', 'media', '', '', ''),
  audit_table('members', 'member', '', '', ''),
  audit_table('organizations', 'organization', 'settings', 'notifications', ''),
  audit_table('rate_plans', 'rate_plan', '', '', ''),
  audit_table('seasons', 'season', '', '', ''),
  audit_table('spaces', 'space', '', '', ''),
  audit_table('units', 'unit', '', '', ''),
  audit_table('webhook_endpoints', 'webhook_endpoint', '', '', 'secret_set_at');
drop function audit_table;
