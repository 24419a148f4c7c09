-- What a PMS sends by itself.

create function webhook_message_json(
  id uuid, org_id uuid, account_id uuid, channel_target_id uuid, source text, kind text, message_id text,
  status text, attempts integer, error_message text, copies integer, signed boolean, occurred_at timestamptz,
  received_at timestamptz, processed_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, channel_target_id, source, kind, message_id, status, attempts, error_message,
      copies, signed, iso(occurred_at) as occurred_at, iso(received_at) as received_at,
      iso(processed_at) as processed_at
  ) record
$$;

create table webhook_messages (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  channel_target_id uuid not null,
  source text not null,
  kind text not null check (char_length(kind) between 1 and 100),
  message_id text not null check (char_length(message_id) between 1 and 255),
  body text not null,
  signed boolean not null,
  copies integer not null default 1,
  traceparent text,
  status text not null default 'received' check (status in ('received', 'processed', 'ignored', 'failed')),
  attempts integer not null default 0,
  error_message text check (char_length(error_message) <= 1000),
  version integer not null default 1,
  occurred_at timestamptz(3),
  received_at timestamptz(3) not null default clock_timestamp(),
  processed_at timestamptz(3),
  json text not null generated always as (
    webhook_message_json(
      id, org_id, account_id, channel_target_id, source, kind, message_id, status, attempts, error_message,
      copies, signed, occurred_at, received_at, processed_at
    )
  ) stored,
  unique (org_id, id),
  constraint webhook_message_once unique (org_id, channel_target_id, source, message_id),
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id)
    on update cascade
    on delete cascade
);
comment on table webhook_messages is
  'One message of a PMS to one target. It is stored before the PMS gets its answer, and processed by a job.';
comment on column webhook_messages.source is 'The provider that the target connects to.';
comment on column webhook_messages.message_id is 'The id that the sender gave it, or else a digest of it.';
comment on column webhook_messages.body is
  'As it arrived; members that hold card data or secrets are masked.';
comment on column webhook_messages.copies is 'How often it arrived. Copies are counted, not stored.';
comment on column webhook_messages.version is 'Incremented when the message is replayed.';
comment on column webhook_messages.occurred_at is 'When it happened, according to the sender.';

create index webhook_messages_by_receipt on webhook_messages (org_id, received_at, id);
create index webhook_messages_of_target on webhook_messages (org_id, channel_target_id, received_at, id);
create index webhook_messages_by_status on webhook_messages (org_id, status, received_at, id);
create index webhook_messages_by_kind on webhook_messages (org_id, kind, received_at, id);
create index webhook_messages_by_age on webhook_messages (received_at);

alter table webhook_messages enable row level security, force row level security;
create policy tenant on webhook_messages to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on webhook_messages to vacancy_lookout
  using (true);
grant select, insert, update, delete on webhook_messages to vacancy_app;
grant select, delete on webhook_messages to vacancy_lookout;
grant execute on function webhook_message_json to vacancy_app;

create table unrouted_webhooks (
  id uuid primary key default gen_random_uuid(),
  source text not null,
  kind text not null check (char_length(kind) between 1 and 100),
  message_id text not null check (char_length(message_id) between 1 and 255),
  body text not null,
  signed boolean not null,
  copies integer not null default 1,
  traceparent text,
  received_at timestamptz(3) not null default clock_timestamp(),
  constraint unrouted_webhook_once unique (source, message_id)
);
comment on table unrouted_webhooks is
  'Messages that name no target, or more than one. They belong to no organization, so the API can add them '
  'and not read their bodies: only the owner of the database can.';

create index unrouted_webhooks_by_age on unrouted_webhooks (received_at);

alter table unrouted_webhooks enable row level security, force row level security;
create policy told on unrouted_webhooks to vacancy_app
  using (current_org() is null)
  with check (current_org() is null);
create policy lookout on unrouted_webhooks to vacancy_lookout
  using (true);
grant select (id, source, message_id, copies), insert, update (copies) on unrouted_webhooks to vacancy_app;
grant select, delete on unrouted_webhooks to vacancy_lookout;

-- The targets that a message may be for, by the names in it; two rows mean that it is not clear which. Unless
-- a message names the target itself, a target is found only when its PMS has accepted it: entering the
-- name of a property is not enough to receive its messages.
create function webhook_targets(the_target uuid, properties text[], listings text[], pms_account text)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with
    named as not materialized (
      select target.org_id, target.id
      from channel_targets target
      where target.id = the_target
    ),
    proven as not materialized (
      select target.org_id, target.id, target.config
      from channel_targets target
      where the_target is null
        and (
          target.status = 'active'
          or target.status = 'error' and exists (
            select 1
            from listing_syncs sync
            where sync.org_id = target.org_id
              and sync.channel_target_id = target.id
              and sync.last_synced_at is not null
          )
        )
    ),
    by_property as (
      select proven.org_id, proven.id
      from proven
      where proven.config ->> 'property_ref' = any(properties)
      limit 2
    ),
    by_listing as (
      select distinct proven.org_id, proven.id
      from channel_listings listing
      join proven on proven.org_id = listing.org_id and proven.id = listing.channel_target_id
      where listing.external_id = any(listings)
        and (pms_account is null or proven.config #>> '{credentials,account_id}' = pms_account)
      limit 2
    )
  select * from named
  union all
  select * from by_property
  union all
  select * from by_listing
  where not exists (select 1 from by_property)
$$;
alter function webhook_targets owner to vacancy_lookout;
grant execute on function webhook_targets to vacancy_app;

-- Deletes messages after a month, in steps of 10,000; returns how many. Senders repeat a message for days at
-- most, and the bodies name guests.
create function forget_webhooks_batch()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    messages as (
      delete from webhook_messages
      where id in (
        select id
        from webhook_messages
        where received_at < now() - interval '30 days'
        order by received_at
        limit 10000
      )
      returning 1
    ),
    unrouted as (
      delete from unrouted_webhooks
      where id in (
        select id
        from unrouted_webhooks
        where received_at < now() - interval '30 days'
        order by received_at
        limit 10000
      )
      returning 1
    )
  select (select count(*) from messages) + (select count(*) from unrouted)
$$;
alter function forget_webhooks_batch owner to vacancy_lookout;
grant execute on function forget_webhooks_batch to vacancy_app;
