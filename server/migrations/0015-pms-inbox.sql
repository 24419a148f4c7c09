-- What a PMS tells by itself: kept before it is answered, then worked by a job.

create function webhook_message_json(
  id uuid, org_id uuid, account_id uuid, channel_target_id uuid, source text, kind text, message_id text, status text,
  attempts integer, error_message text, copies integer, signed boolean, occurred_at timestamptz, received_at timestamptz,
  processed_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(m)::text from (select id, org_id, account_id, channel_target_id, source, kind, message_id, status,
    attempts, error_message, copies, signed, iso(occurred_at) as occurred_at, iso(received_at) as received_at,
    iso(processed_at) as processed_at) m
$$;

-- One message of a PMS to one target; copies of it are counted, not kept.
create table webhook_messages (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  channel_target_id uuid not null,
  source text not null,                        -- the provider that the target speaks to
  kind text not null check (char_length(kind) between 1 and 100),
  message_id text not null check (char_length(message_id) between 1 and 255), -- the sender's, else a digest
  body text not null,                          -- as it came; members that hold card data or secrets are masked
  traceparent text,
  status text not null default 'received' check (status in ('received', 'processed', 'ignored', 'failed')),
  attempts integer not null default 0,
  error_message text check (char_length(error_message) <= 1000),
  copies integer not null default 1,           -- how often it arrived
  signed boolean not null,
  occurred_at timestamptz(3),                  -- when the sender says that it happened
  received_at timestamptz(3) not null default clock_timestamp(),
  processed_at timestamptz(3),
  version integer not null default 1,          -- grows when it is replayed
  json text not null generated always as (webhook_message_json(id, org_id, account_id, channel_target_id, source, kind,
    message_id, status, attempts, error_message, copies, signed, occurred_at, received_at, processed_at)) stored,
  unique (org_id, id),
  constraint webhook_message_once unique (org_id, channel_target_id, source, message_id),
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id)
    on update cascade on delete cascade
);
create index webhook_messages_by_receipt on webhook_messages (org_id, received_at, id);
create index webhook_messages_of_target on webhook_messages (org_id, channel_target_id, received_at, id);
create index webhook_messages_by_status on webhook_messages (org_id, status, received_at, id);
create index webhook_messages_by_kind on webhook_messages (org_id, kind, received_at, id);
create index webhook_messages_by_age on webhook_messages (received_at);

alter table webhook_messages enable row level security;
alter table webhook_messages force row level security;
create policy tenant on webhook_messages to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy lookout on webhook_messages to vacancy_lookout using (true);
grant select, insert, update, delete on webhook_messages to vacancy_app;
grant select, delete on webhook_messages to vacancy_lookout;
grant execute on function webhook_message_json to vacancy_app;

-- Messages that name no target, or more than one. They belong to nobody, so the API can put them there and no more:
-- who owns the database may look at them.
create table unrouted_webhooks (
  id uuid primary key default gen_random_uuid(),
  source text not null,
  kind text not null check (char_length(kind) between 1 and 100),
  message_id text not null check (char_length(message_id) between 1 and 255),
  body text not null,
  traceparent text,
  copies integer not null default 1,
  signed boolean not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  constraint unrouted_webhook_once unique (source, message_id)
);
create index unrouted_webhooks_by_age on unrouted_webhooks (received_at);
alter table unrouted_webhooks enable row level security;
alter table unrouted_webhooks force row level security;
create policy told on unrouted_webhooks to vacancy_app using (current_org() is null) with check (current_org() is null);
create policy lookout on unrouted_webhooks to vacancy_lookout using (true);
grant insert, select (id, source, message_id, copies), update (copies) on unrouted_webhooks to vacancy_app;
grant select, delete on unrouted_webhooks to vacancy_lookout;

create index channel_targets_of_property on channel_targets ((config ->> 'property_ref'))
  where config ? 'property_ref';
create index channel_listings_of_external_id on channel_listings (external_id);

-- The targets that a message may be for, by the names in it; two rows say that it is not clear which. A target is only
-- found by the names of others when its PMS has accepted it: nobody hears of a property by writing its name down.
create function webhook_targets(the_target uuid, properties text[], listings text[], pms_account text)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  with named as not materialized (select t.org_id, t.id from channel_targets t where t.id = the_target),
  proven as not materialized (select t.org_id, t.id, t.config from channel_targets t
    where the_target is null and (t.status = 'active' or t.status = 'error' and exists (
      select 1 from listing_syncs s where s.org_id = t.org_id and s.channel_target_id = t.id
        and s.last_synced_at is not null))),
  by_property as (select p.org_id, p.id from proven p where p.config ->> 'property_ref' = any(properties) limit 2),
  by_listing as (select distinct p.org_id, p.id from channel_listings l
    join proven p on p.org_id = l.org_id and p.id = l.channel_target_id
    where l.external_id = any(listings)
      and (pms_account is null or p.config #>> '{credentials,account_id}' = pms_account) limit 2)
  select * from named
  union all select * from by_property
  union all select * from by_listing where not exists (select 1 from by_property)
$$;
alter function webhook_targets owner to vacancy_lookout;

-- What was told a month ago is settled: senders repeat for days at most, and the bodies name guests.
create function forget_webhooks() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from webhook_messages where id in (
    select id from webhook_messages where received_at < now() - interval '30 days' order by received_at limit 10000);
  delete from unrouted_webhooks where id in (
    select id from unrouted_webhooks where received_at < now() - interval '30 days' order by received_at limit 10000)
$$;
alter function forget_webhooks owner to vacancy_lookout;
grant execute on function webhook_targets, forget_webhooks to vacancy_app;
