-- Payments for bookings: what is asked of the provider, what it says of it, and what went back.

create function payment_intent_json(
  id uuid, org_id uuid, account_id uuid, booking_id uuid, amount bigint, currency text, capture_method text, status text,
  amount_received bigint, amount_refunded bigint, failure_code text, requested text, provider text, provider_reference text,
  created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(p)::text from (select id, org_id, account_id, booking_id, amount, currency, capture_method, status,
    amount_received, amount_refunded, failure_code, requested, provider, provider_reference, iso(created_at) as created_at,
    iso(updated_at) as updated_at) p
$$;

-- One payment that is asked for. The row is written before the provider is called, and its id is the provider's
-- idempotency key: whatever is lost on the way, one row is one payment.
create table payment_intents (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  booking_id uuid not null,
  amount bigint not null check (amount between 1 and 2147483647), -- minor units
  currency text not null check (currency ~ '^[a-z]{3}$'),
  capture_method text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
  status text not null default 'requires_payment_method' check (status in ('requires_payment_method',
    'requires_confirmation', 'requires_action', 'processing', 'requires_capture', 'canceled', 'succeeded')),
  amount_received bigint not null default 0 check (amount_received between 0 and amount),
  amount_refunded bigint not null default 0,
  failure_code text check (char_length(failure_code) <= 64), -- why the last attempt of the guest failed
  failed_attempt text,                         -- which attempt that was, so that each is told once
  requested text check (requested in ('capture', 'cancel')), -- asked of the provider and not settled yet
  capture_amount bigint check (capture_amount between 1 and amount),
  provider text not null default 'payments',
  provider_reference text,                     -- null until the provider knows of it
  client_secret bytea,                         -- sealed; the guest's page pays with it
  key_number integer not null default 1,       -- grows when a key has kept a failure for good
  attempts integer not null default 0,         -- calls since the last one that was answered
  next_attempt_at timestamptz default now() + interval '1 minute', -- when upkeep looks at it; null when it is settled
  seen_at timestamptz,                         -- when the look began that was applied last: an older one changes nothing
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (payment_intent_json(id, org_id, account_id, booking_id, amount, currency,
    capture_method, status, amount_received, amount_refunded, failure_code, requested, provider, provider_reference,
    created_at, updated_at)) stored,
  unique (org_id, id),
  check (amount_refunded between 0 and amount_received),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, booking_id) references bookings (org_id, id)
);
-- Asking twice for the same is asking once.
create unique index payment_intents_open on payment_intents (org_id, booking_id, amount, currency, capture_method)
  where status not in ('canceled', 'succeeded') and requested is distinct from 'cancel';
create unique index payment_intents_by_reference on payment_intents (provider_reference) where provider_reference is not null;
create index payment_intents_by_creation on payment_intents (org_id, created_at, id);
create index payment_intents_by_update on payment_intents (org_id, updated_at, id);
create index payment_intents_of_booking on payment_intents (org_id, booking_id, created_at, id);
create index payment_intents_to_settle on payment_intents (next_attempt_at) where next_attempt_at is not null;

create function payment_refund_json(
  id uuid, org_id uuid, account_id uuid, payment_intent_id uuid, amount bigint, currency text, reason text, status text,
  failure_code text, provider_reference text, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(r)::text from (select id, org_id, account_id, payment_intent_id, amount, currency, reason, status,
    failure_code, provider_reference, iso(created_at) as created_at, iso(updated_at) as updated_at) r
$$;

-- Money that goes back, asked for here or at the provider.
create table payment_refunds (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  payment_intent_id uuid not null,
  amount bigint not null check (amount between 1 and 2147483647),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  reason text not null check (reason in ('requested_by_guest', 'duplicate', 'fraudulent', 'cancellation', 'other')),
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'canceled')),
  failure_code text check (char_length(failure_code) <= 64),
  provider_reference text,
  key_number integer not null default 1,
  attempts integer not null default 0,
  next_attempt_at timestamptz default now() + interval '1 minute',
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (payment_refund_json(id, org_id, account_id, payment_intent_id, amount, currency,
    reason, status, failure_code, provider_reference, created_at, updated_at)) stored,
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, payment_intent_id) references payment_intents (org_id, id)
);
-- A cancellation is paid back once.
create unique index payment_refunds_of_cancellation on payment_refunds (org_id, payment_intent_id)
  where reason = 'cancellation' and status in ('pending', 'succeeded');
create unique index payment_refunds_by_reference on payment_refunds (provider_reference) where provider_reference is not null;
create index payment_refunds_by_creation on payment_refunds (org_id, created_at, id);
create index payment_refunds_by_update on payment_refunds (org_id, updated_at, id);
create index payment_refunds_of_intent on payment_refunds (org_id, payment_intent_id, created_at, id);
create index payment_refunds_to_settle on payment_refunds (next_attempt_at) where next_attempt_at is not null;

-- Notices of the provider that were believed: which, not what they say, because the truth is asked for.
create table payment_notices (
  org_id uuid not null,
  notice_id text not null check (char_length(notice_id) between 1 and 255),
  payment_intent_id uuid not null,
  type text not null check (char_length(type) <= 255),
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  copies integer not null default 1,
  primary key (org_id, notice_id),
  foreign key (org_id, payment_intent_id) references payment_intents (org_id, id)
);
create index payment_notices_by_age on payment_notices (received_at);

do $$ declare name text; begin
  foreach name in array array['payment_intents', 'payment_refunds', 'payment_notices'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('create policy lookout on %I to vacancy_lookout using (true)', name);
    execute format('grant select, insert, update on %I to vacancy_app', name);
    execute format('grant select on %I to vacancy_lookout', name);
  end loop;
end $$;
grant delete on payment_notices to vacancy_lookout;
grant execute on function payment_intent_json, payment_refund_json to vacancy_app;

-- Which record a notice is about: whoever brings it has no organization, only the provider's signature.
create function payment_intent_named(the_id uuid, the_reference text)
returns table (org_id uuid, payment_intent_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.org_id, p.id from payment_intents p where p.id = the_id
  union
  select p.org_id, p.id from payment_intents p where p.provider_reference = the_reference
  limit 1
$$;
alter function payment_intent_named owner to vacancy_lookout;

-- What waits for the provider longer than it should: ids only, across organizations.
create function payments_to_settle(late interval)
returns table (org_id uuid, payment_intent_id uuid, payment_refund_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  (select p.org_id, p.id, null::uuid from payment_intents p
    where p.next_attempt_at < now() - late order by p.next_attempt_at limit 500)
  union all
  (select r.org_id, r.payment_intent_id, r.id from payment_refunds r
    where r.next_attempt_at < now() - late order by r.next_attempt_at limit 500)
$$;
alter function payments_to_settle owner to vacancy_lookout;

-- The provider repeats a notice for three days.
create function forget_payment_notices() returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from payment_notices where (org_id, notice_id) in
    (select org_id, notice_id from payment_notices where received_at < now() - interval '30 days' limit 10000)
$$;
alter function forget_payment_notices owner to vacancy_lookout;
grant execute on function payment_intent_named, payments_to_settle, forget_payment_notices to vacancy_app;
