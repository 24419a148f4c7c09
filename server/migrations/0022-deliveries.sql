-- What is sent because of events: webhooks to partners, e-mail and SMS to people.

-- Webhook deliveries ------------------------------------------------------------------------------

create function webhook_delivery_json(
  id uuid, org_id uuid, webhook_endpoint_id uuid, event_id uuid, event_type text, status text,
  attempts integer, replays integer, next_attempt_at timestamptz, last_attempt_at timestamptz,
  response_status integer, response_body text, duration_ms integer, error_message text,
  delivered_at timestamptz, created_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, webhook_endpoint_id, event_id, event_type, status, attempts, replays,
      iso(next_attempt_at) as next_attempt_at, iso(last_attempt_at) as last_attempt_at, response_status,
      response_body, duration_ms, error_message, iso(delivered_at) as delivered_at,
      iso(created_at) as created_at
  ) record
$$;

create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  webhook_endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  replays integer not null default 0,
  claim uuid,
  claimed_until timestamptz(3),
  next_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  duration_ms integer,
  response_status integer,
  response_body text check (char_length(response_body) <= 1024),
  error_message text check (char_length(error_message) <= 255),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  json text not null generated always as (
    webhook_delivery_json(
      id, org_id, webhook_endpoint_id, event_id, event_type, status, attempts, replays, next_attempt_at,
      last_attempt_at, response_status, response_body, duration_ms, error_message, delivered_at, created_at
    )
  ) stored,
  unique (org_id, id),
  unique (org_id, webhook_endpoint_id, event_id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  foreign key (org_id, webhook_endpoint_id) references webhook_endpoints (org_id, id)
    on delete cascade,
  foreign key (org_id, event_id) references events (org_id, id)
    on delete cascade
) with (fillfactor = 80);
comment on table webhook_deliveries is 'One event for one endpoint, with the last response.';
comment on column webhook_deliveries.replays is 'How often a person had it sent again.';
comment on column webhook_deliveries.claim is 'The attempt that may write a result, until claimed_until.';

create index webhook_deliveries_due on webhook_deliveries (org_id, webhook_endpoint_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_by_creation on webhook_deliveries (org_id, created_at, id);
create index webhook_deliveries_of_endpoint
  on webhook_deliveries (org_id, webhook_endpoint_id, created_at, id);
create index webhook_deliveries_of_event on webhook_deliveries (org_id, event_id);

alter table webhook_deliveries enable row level security, force row level security;
create policy tenant on webhook_deliveries to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on webhook_deliveries for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on webhook_deliveries to vacancy_app;
grant select on webhook_deliveries to vacancy_lookout;
grant execute on function webhook_delivery_json to vacancy_app;

-- Endpoints with a delivery that is due, and that no worker sends to.
create function webhook_endpoints_due()
returns table (org_id uuid, webhook_endpoint_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select endpoint.org_id, endpoint.id
  from webhook_endpoints endpoint
  where endpoint.status = 'active'
    and (endpoint.held_until is null or endpoint.held_until <= now())
    and (endpoint.run_until is null or endpoint.run_until <= now())
    and exists (
      select 1
      from webhook_deliveries delivery
      where delivery.org_id = endpoint.org_id
        and delivery.webhook_endpoint_id = endpoint.id
        and delivery.status = 'pending'
        and delivery.next_attempt_at <= now()
        and (delivery.claimed_until is null or delivery.claimed_until <= now())
    )
$$;
alter function webhook_endpoints_due owner to vacancy_lookout;
grant execute on function webhook_endpoints_due to vacancy_app;


-- Notifications -----------------------------------------------------------------------------------

create function notification_json(
  id uuid, org_id uuid, account_id uuid, event_id uuid, kind text, channel text, audience text,
  recipient text, locale text, subject text, status text, attempts integer, provider_id text, error_code text,
  error_message text, next_attempt_at timestamptz, sent_at timestamptz, created_at timestamptz,
  updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, event_id, kind, channel, audience, recipient as "to", locale, subject, status,
      attempts, provider_id, error_code, error_message, iso(next_attempt_at) as next_attempt_at,
      iso(sent_at) as sent_at, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table notifications (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,
  event_id uuid,
  event_position bigint,
  subject_id uuid,
  kind text not null check (kind ~ '^[a-z_]+(\.[a-z_]+)?$'),
  channel text not null check (channel in ('email', 'sms')),
  audience text not null check (audience in ('operator', 'guest')),
  recipient text not null check (char_length(recipient) between 1 and 254 and recipient !~ '[[:cntrl:]]'),
  locale text not null,
  subject text not null,
  story jsonb not null check (jsonb_typeof(story) = 'object'),
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'skipped')),
  attempts integer not null default 0,
  claimed_until timestamptz(3),
  next_attempt_at timestamptz(3),
  provider_id text,
  error_code text,
  error_message text check (char_length(error_message) <= 1000),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  sent_at timestamptz(3),
  json text not null generated always as (
    notification_json(
      id, org_id, account_id, event_id, kind, channel, audience, recipient, locale, subject, status, attempts,
      provider_id, error_code, error_message, next_attempt_at, sent_at, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
comment on table notifications is 'One e-mail or SMS to one person.';
comment on column notifications.event_id is
  'Null for a test message. No foreign key: events are deleted earlier.';
comment on column notifications.event_position is 'Of two events of one booking, the later one is sent.';
comment on column notifications.subject_id is
  'The booking, where what was sent last decides what is sent next.';
comment on column notifications.subject is 'The subject line.';
comment on column notifications.story is 'The values for the template. The API does not return them.';
comment on column notifications.status is 'A message that nothing can deliver is skipped, with the reason.';
comment on column notifications.claimed_until is 'Until then a worker may be sending it.';
comment on column notifications.provider_id is 'What the provider of e-mail or SMS calls it.';

-- However often the job of an event runs, no recipient gets the same message twice.
create unique index notifications_once on notifications (org_id, event_id, kind, channel, recipient)
  where event_id is not null;
create index notifications_by_creation on notifications (org_id, created_at, id);
create index notifications_by_update on notifications (org_id, updated_at, id);
create index notifications_of_event on notifications (org_id, event_id) where event_id is not null;
create index notifications_of_subject on notifications (org_id, subject_id, event_position)
  where subject_id is not null;
create index notifications_to_test on notifications (org_id, created_at) where kind = 'test';
create index notifications_by_age on notifications (created_at);

alter table notifications enable row level security, force row level security;
create policy tenant on notifications to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on notifications to vacancy_lookout
  using (true);
grant select, insert, update, delete on notifications to vacancy_app;
grant select, delete on notifications to vacancy_lookout;
grant execute on function notification_json to vacancy_app;

-- Deletes notifications after so many days, in steps of 5,000; returns how many.
create function forget_notifications(days integer)
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with deleted as (
    delete from notifications
    where id in (
      select id
      from notifications
      where created_at < now() - make_interval(days => days)
      order by created_at
      limit 5000
    )
    returning 1
  )
  select count(*)
  from deleted
$$;
alter function forget_notifications owner to vacancy_lookout;
grant execute on function forget_notifications to vacancy_app;
