-- What keeps the service running: repeated requests, secrets and their age, and rows past their time.

-- Idempotency keys --------------------------------------------------------------------------------

create table idempotency_keys (
  org_id uuid not null references organizations (id),
  operation text not null,
  key text not null check (char_length(key) between 1 and 255),
  fingerprint bytea not null,
  status integer not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, operation, key)
);
comment on table idempotency_keys is
  'Responses to requests with an Idempotency-Key, for repeated requests. A row is written in the '
  'transaction of the request.';
comment on column idempotency_keys.operation is 'The method and the template of the route.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of the request.';

create index idempotency_keys_by_age on idempotency_keys (created_at);

alter table idempotency_keys enable row level security, force row level security;
create policy tenant on idempotency_keys to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on idempotency_keys to vacancy_lookout
  using (true);
-- The API changes a response only to erase the data of a guest.
grant select, insert, update (body), delete on idempotency_keys to vacancy_app;
grant select, delete on idempotency_keys to vacancy_lookout;


-- Rows past their time ----------------------------------------------------------------------------

-- Deletes responses after a day and signed-out tokens that have expired, in steps of 10,000; returns how
-- many.
create function forget_expired()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    keys as (
      delete from idempotency_keys
      where (org_id, operation, key) in (
        select org_id, operation, key
        from idempotency_keys
        where created_at < now() - interval '24 hours'
        limit 10000
      )
      returning 1
    ),
    tokens as (
      delete from revoked_tokens
      where token_hash in (
        select token_hash
        from revoked_tokens
        where expires_at < now()
        limit 10000
      )
      returning 1
    )
  select (select count(*) from keys) + (select count(*) from tokens)
$$;
alter function forget_expired owner to vacancy_lookout;
grant execute on function forget_expired to vacancy_app;

-- How many rows are past their time and still there, counted up to 10,000 for each table. The periods are
-- those of the functions that delete them.
create function expired_rows(notification_days integer)
returns table (kind text, expired bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'idempotency_keys', count(*)
  from (
    select 1
    from idempotency_keys
    where created_at < now() - interval '24 hours'
    limit 10000
  ) expired
  union all
  select 'revoked_tokens', count(*)
  from (
    select 1
    from revoked_tokens
    where expires_at < now()
    limit 10000
  ) expired
  union all
  select 'quotes', count(*)
  from (
    select 1
    from quotes
    where expires_at < now() - interval '30 days' and booking_id is null and hold_booking_id is null
    limit 10000
  ) expired
  union all
  select 'webhook_messages', count(*)
  from (
    select 1
    from webhook_messages
    where received_at < now() - interval '30 days'
    limit 10000
  ) expired
  union all
  select 'events', count(*)
  from (
    select 1
    from events
    where occurred_at < now() - interval '90 days'
    limit 10000
  ) expired
  union all
  select 'notifications', count(*)
  from (
    select 1
    from notifications
    where created_at < now() - make_interval(days => notification_days)
    limit 10000
  ) expired
  union all
  select 'payment_notices', count(*)
  from (
    select 1
    from payment_notices
    where received_at < now() - interval '30 days'
    limit 10000
  ) expired
$$;
alter function expired_rows owner to vacancy_lookout;
grant execute on function expired_rows to vacancy_app;


-- Secrets -----------------------------------------------------------------------------------------

create table secret_ages (
  fingerprint text primary key,
  first_used_at timestamptz not null default now()
);
comment on table secret_ages is 'When each secret was first used, so that somebody is reminded to change it.';
comment on column secret_ages.fingerprint is
  'Keyed with SECRET_KEYS: the database alone reveals nothing about the secret.';

grant select, insert on secret_ages to vacancy_app;

-- When the oldest secrets that operators and partners hold were set, over all organizations.
create function oldest_stored_secrets()
returns table (name text, kind text, set_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'channel target credentials', 'pms', min(credentials_set_at)
  from channel_targets
  where credentials is not null and status <> 'inactive'
  union all
  select 'webhook endpoint secrets', 'webhook_signing', min(secret_set_at)
  from webhook_endpoints
$$;
alter function oldest_stored_secrets owner to vacancy_lookout;
grant execute on function oldest_stored_secrets to vacancy_app;

-- Which keys of SECRET_KEYS encrypt what is stored: the name of each key and how many values it encrypts. An
-- encrypted value begins with the length of the name and the name.
create function sealing_keys()
returns table (kind text, key text, sealed bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select
    stored.kind,
    convert_from(substring(stored.value from 2 for get_byte(stored.value, 0)), 'UTF8'),
    count(*)
  from (
    select 'channel_target' as kind, credentials as value
    from channel_targets
    union all
    select 'calendar_feed', address
    from calendar_feeds
    union all
    select 'payment_intent', client_secret
    from payment_intents
    union all
    select 'webhook_endpoint', secret
    from webhook_endpoints
    union all
    select 'webhook_endpoint', previous_secret
    from webhook_endpoints
    union all
    select 'guest_erasure', plan
    from guest_erasures
  ) stored
  where stored.value is not null
  group by 1, 2
  order by 1, 2
$$;
alter function sealing_keys owner to vacancy_lookout;
grant execute on function sealing_keys to vacancy_app;
