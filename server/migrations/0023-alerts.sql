-- What is wrong, so that a person has to know.

create function alert_json(
  id uuid, org_id uuid, account_id uuid, kind text, channel_listing_id uuid, channel_target_id uuid,
  unit_id uuid, message text, hint text, details jsonb, times integer, first_at timestamptz,
  last_at timestamptz, resolved_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, kind, case when resolved_at is null then 'open' else 'resolved' end as status,
      channel_listing_id, channel_target_id, unit_id, message, hint, details, times,
      iso(first_at) as first_at, iso(last_at) as last_at, iso(resolved_at) as resolved_at
  ) record
$$;

create table alerts (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,
  kind text not null check (kind ~ '^[a-z_]+\.[a-z_]+$' and char_length(kind) <= 64),
  channel_listing_id uuid,
  channel_target_id uuid,
  unit_id uuid,
  message text not null check (char_length(message) between 1 and 1000),
  hint text not null check (char_length(hint) between 1 and 1000),
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  status text not null generated always as (
    case when resolved_at is null then 'open' else 'resolved' end
  ) stored,
  times integer not null default 1,
  version integer not null default 1,
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  resolved_at timestamptz(3),
  json text not null generated always as (
    alert_json(
      id, org_id, account_id, kind, channel_listing_id, channel_target_id, unit_id, message, hint, details,
      times, first_at, last_at, resolved_at
    )
  ) stored,
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id)
    on delete cascade,
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id)
    on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id)
    on delete cascade
);
comment on table alerts is
  'Something is wrong and a person has to know: one row from the first time until it is right again. It is '
  'deleted with what it is about.';
comment on column alerts.account_id is 'Null when the alert concerns the whole organization.';
comment on column alerts.kind is
  'The code knows the kinds; a list here would have to be migrated before each new one.';
comment on column alerts.times is 'How often it was raised while it was open.';

-- The unit tells alerts apart only where no listing does: a listing has one unit.
create unique index alerts_open_once on alerts (
  org_id,
  kind,
  channel_listing_id,
  channel_target_id,
  (case when channel_listing_id is null then unit_id end)
) nulls not distinct
  where resolved_at is null;
create index alerts_by_last on alerts (org_id, last_at, id);
create index alerts_by_first on alerts (org_id, first_at, id);
create index alerts_of_listing on alerts (org_id, channel_listing_id) where channel_listing_id is not null;
create index alerts_of_target on alerts (org_id, channel_target_id) where channel_target_id is not null;
create index alerts_of_unit on alerts (org_id, unit_id) where unit_id is not null;
create index alerts_of_identities on alerts (last_at)
  where kind = 'member.identity_conflict' and resolved_at is null;

alter table alerts enable row level security, force row level security;
create policy tenant on alerts to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on alerts for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on alerts to vacancy_app;
grant select on alerts to vacancy_lookout;
grant execute on function alert_json to vacancy_app;

-- Organizations with a conflict of identities that is over: it was not repeated for long, the member was
-- removed, or the membership was given to the identity that was refused.
create function identity_conflicts_to_close(quiet_for interval)
returns table (org_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select alert.org_id
  from alerts alert
  where alert.kind = 'member.identity_conflict'
    and alert.resolved_at is null
    and (
      alert.last_at < now() - quiet_for
      or exists (
        select 1
        from members member
        where member.org_id = alert.org_id
          and member.id::text = alert.details ->> 'member_id'
          and (
            member.status = 'removed'
            or (
              member.issuer = alert.details ->> 'issuer'
              and member.subject = alert.details ->> 'subject'
            )
          )
      )
    )
$$;
alter function identity_conflicts_to_close owner to vacancy_lookout;
grant execute on function identity_conflicts_to_close to vacancy_app;
