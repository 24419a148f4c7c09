-- What happened, in order: written in the transaction of the change itself, told to partners and to people from here.

create table events (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,                             -- null when it concerns the whole organization
  type text not null check (type ~ '^[a-z_]+\.[a-z_]+$'),
  subject_id uuid,                             -- the record that it is about
  data jsonb not null check (jsonb_typeof(data) = 'object'),
  traceparent text,
  -- A reader who has come to a place has missed nothing before it, although transactions end in another order
  -- than they begin: only what was written before the oldest one still open is shown, by transaction, then by place.
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint not null generated always as identity,
  occurred_at timestamptz(3) not null default clock_timestamp(),
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
create index events_in_order on events (org_id, transaction_id, position);
create index events_by_time on events (org_id, occurred_at);

alter table events enable row level security;
alter table events force row level security;
create policy tenant on events to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert on events to vacancy_app;
