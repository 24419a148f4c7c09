-- Payments for bookings: what the payment provider is asked for.

create function payment_intent_json(
  id uuid, org_id uuid, account_id uuid, booking_id uuid, amount bigint, currency text, capture_method text,
  status text, amount_received bigint, amount_refunded bigint, failure_code text, requested text,
  provider text, provider_reference text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, booking_id, amount, currency, capture_method, status, amount_received,
      amount_refunded, failure_code, requested, provider, provider_reference, iso(created_at) as created_at,
      iso(updated_at) as updated_at
  ) record
$$;

create table payment_intents (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  booking_id uuid not null,
  amount bigint not null check (amount between 1 and 2147483647),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  capture_method text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
  provider text not null default 'payments',
  provider_reference text,
  client_secret bytea,
  status text not null default 'requires_payment_method' check (
    status in (
      'requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'requires_capture',
      'canceled', 'succeeded'
    )
  ),
  amount_received bigint not null default 0 check (amount_received between 0 and amount),
  amount_refunded bigint not null default 0,
  failure_code text check (char_length(failure_code) <= 64),
  failed_attempt text,
  requested text check (requested in ('capture', 'cancel')),
  capture_amount bigint check (capture_amount between 1 and amount),
  key_number integer not null default 1,
  attempts integer not null default 0,
  next_attempt_at timestamptz default now() + interval '1 minute',
  seen_at timestamptz,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    payment_intent_json(
      id, org_id, account_id, booking_id, amount, currency, capture_method, status, amount_received,
      amount_refunded, failure_code, requested, provider, provider_reference, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  check (amount_refunded between 0 and amount_received),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, booking_id) references bookings (org_id, id)
);
comment on table payment_intents is
  'One payment that is asked for. The row is written before the provider is called, and its id is the '
  'idempotency key there: whatever is lost on the way, one row is one payment.';
comment on column payment_intents.amount is
  'In the smallest unit of the currency. Likewise the other amounts.';
comment on column payment_intents.provider_reference is 'Null until the provider knows of the payment.';
comment on column payment_intents.client_secret is 'Encrypted. The page of the guest pays with it.';
comment on column payment_intents.failure_code is 'Why the last attempt of the guest failed.';
comment on column payment_intents.failed_attempt is
  'Which attempt that was, so that one event is published for each.';
comment on column payment_intents.requested is 'What the provider was asked for and has not done yet.';
comment on column payment_intents.key_number is
  'Part of the idempotency key. Incremented when the provider has recorded a failure for the key for good.';
comment on column payment_intents.attempts is 'Calls of the provider since the last one that was answered.';
comment on column payment_intents.next_attempt_at is
  'When the scheduler looks at it again; null when it is settled.';
comment on column payment_intents.seen_at is
  'When the last state that was applied was asked for: a state that was asked for earlier changes nothing.';

-- Two requests for the same payment return one.
create unique index payment_intents_open
  on payment_intents (org_id, booking_id, amount, currency, capture_method)
  where status not in ('canceled', 'succeeded') and requested is distinct from 'cancel';
create unique index payment_intents_by_reference on payment_intents (provider_reference)
  where provider_reference is not null;
create index payment_intents_by_creation on payment_intents (org_id, created_at, id);
create index payment_intents_by_update on payment_intents (org_id, updated_at, id);
create index payment_intents_of_booking on payment_intents (org_id, booking_id, created_at, id);
create index payment_intents_to_settle on payment_intents (next_attempt_at) where next_attempt_at is not null;

alter table payment_intents enable row level security, force row level security;
create policy tenant on payment_intents to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on payment_intents for select to vacancy_lookout
  using (true);
grant select, insert, update on payment_intents to vacancy_app;
grant select on payment_intents to vacancy_lookout;
grant execute on function payment_intent_json to vacancy_app;

-- The payment that a notice is about. Its sender has no organization, only the signature of the provider.
create function payment_intent_named(the_id uuid, the_reference text)
returns table (org_id uuid, payment_intent_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select intent.org_id, intent.id
  from payment_intents intent
  where intent.id = the_id
  union
  select intent.org_id, intent.id
  from payment_intents intent
  where intent.provider_reference = the_reference
  limit 1
$$;
alter function payment_intent_named owner to vacancy_lookout;
grant execute on function payment_intent_named to vacancy_app;
