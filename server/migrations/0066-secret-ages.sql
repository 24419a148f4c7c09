-- When each secret was first used, so that somebody is reminded to change it. A fingerprint is keyed with SECRET_KEYS: it tells
-- nothing of the secret to those who have the database alone.
create table secret_ages (
  fingerprint text primary key,
  first_used_at timestamptz not null default now()
);
grant select, insert on secret_ages to vacancy_app;

alter table channel_targets add column credentials_set_at timestamptz;
update channel_targets set credentials_set_at = created_at where credentials is not null;
alter table webhook_endpoints add column secret_set_at timestamptz not null default now();
update webhook_endpoints set secret_set_at = created_at;

-- The oldest of the secrets that operators and partners hold, of all organizations.
create function oldest_stored_secrets() returns table (name text, kind text, set_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select 'channel target credentials', 'pms', min(credentials_set_at) from channel_targets
    where credentials is not null and status <> 'inactive'
  union all
  select 'webhook endpoint secrets', 'webhook_signing', min(secret_set_at) from webhook_endpoints where status <> 'inactive'
$$;
alter function oldest_stored_secrets owner to vacancy_lookout;
grant execute on function oldest_stored_secrets to vacancy_app;
