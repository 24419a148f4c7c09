-- What people are told, by mail and by SMS: one row for each message.

create function notification_json(
  id uuid, org_id uuid, account_id uuid, event_id uuid, kind text, channel text, audience text, recipient text, locale text,
  subject text, status text, attempts integer, provider_id text, error_code text, error_message text,
  next_attempt_at timestamptz, sent_at timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(n)::text from (select id, org_id, account_id, event_id, kind, channel, audience, recipient as "to",
    locale, subject, status, attempts, provider_id, error_code, error_message, iso(next_attempt_at) as next_attempt_at,
    iso(sent_at) as sent_at, iso(created_at) as created_at, iso(updated_at) as updated_at) n
$$;

create table notifications (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,
  event_id uuid,                               -- null for a test mail; events are forgotten sooner
  event_position bigint,                       -- of two events of one booking, the later is told
  subject_id uuid,                             -- the booking, where what was told last decides what is told next
  kind text not null check (kind ~ '^[a-z_]+(\.[a-z_]+)?$'),
  channel text not null check (channel in ('email', 'sms')),
  audience text not null check (audience in ('operator', 'guest')),
  recipient text not null check (char_length(recipient) between 1 and 254 and recipient !~ '[[:cntrl:]]'),
  locale text not null,
  subject text not null,
  story jsonb not null check (jsonb_typeof(story) = 'object'), -- what the template says; never listed
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
  attempts integer not null default 0,
  claimed_until timestamptz(3),                -- until then another worker may still be sending it
  next_attempt_at timestamptz(3),
  provider_id text,
  error_code text,
  error_message text check (char_length(error_message) <= 1000),
  sent_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  json text not null generated always as (notification_json(id, org_id, account_id, event_id, kind, channel, audience,
    recipient, locale, subject, status, attempts, provider_id, error_code, error_message, next_attempt_at, sent_at,
    created_at, updated_at)) stored,
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
-- However often the job of an event runs, nobody gets the same message twice.
create unique index notifications_once on notifications (org_id, event_id, kind, channel, recipient)
  where event_id is not null;
create index notifications_by_creation on notifications (org_id, created_at, id);
create index notifications_by_update on notifications (org_id, updated_at, id);
create index notifications_of_event on notifications (org_id, event_id) where event_id is not null;
create index notifications_of_subject on notifications (org_id, subject_id, event_position) where subject_id is not null;
create index notifications_to_test on notifications (org_id, created_at) where kind = 'test';

alter table notifications enable row level security;
alter table notifications force row level security;
create policy tenant on notifications to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert, update, delete on notifications to vacancy_app;
grant execute on function notification_json to vacancy_app;

-- Who is told what stands among the settings of the organization.
grant update (settings, version, updated_at) on organizations to vacancy_app;
