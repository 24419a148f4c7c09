-- Money that goes back, and the notices of the payment provider.

-- Refunds -----------------------------------------------------------------------------------------

create function payment_refund_json(
  id uuid, org_id uuid, account_id uuid, payment_intent_id uuid, amount bigint, currency text, reason text,
  status text, failure_code text, provider_reference text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, payment_intent_id, amount, currency, reason, status, failure_code,
      provider_reference, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table payment_refunds (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  payment_intent_id uuid not null,
  amount bigint not null check (amount between 1 and 2147483647),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  reason text not null
    check (reason in ('requested_by_guest', 'duplicate', 'fraudulent', 'cancellation', 'other')),
  provider_reference text,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'canceled')),
  failure_code text check (char_length(failure_code) <= 64),
  key_number integer not null default 1,
  attempts integer not null default 0,
  next_attempt_at timestamptz default now() + interval '1 minute',
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    payment_refund_json(
      id, org_id, account_id, payment_intent_id, amount, currency, reason, status, failure_code,
      provider_reference, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, payment_intent_id) references payment_intents (org_id, id)
);
comment on table payment_refunds is
  'Money that goes back to a guest, whether it was asked for here or at the provider.';
comment on column payment_refunds.key_number is
  'As in payment_intents; likewise attempts and next_attempt_at.';

-- A cancellation is refunded once.
create unique index payment_refunds_of_cancellation on payment_refunds (org_id, payment_intent_id)
  where reason = 'cancellation' and status in ('pending', 'succeeded');
create unique index payment_refunds_by_reference on payment_refunds (provider_reference)
  where provider_reference is not null;
create index payment_refunds_by_creation on payment_refunds (org_id, created_at, id);
create index payment_refunds_by_update on payment_refunds (org_id, updated_at, id);
create index payment_refunds_of_intent on payment_refunds (org_id, payment_intent_id, created_at, id);
create index payment_refunds_to_settle on payment_refunds (next_attempt_at) where next_attempt_at is not null;

alter table payment_refunds enable row level security, force row level security;
create policy tenant on payment_refunds to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on payment_refunds for select to vacancy_lookout
  using (true);
grant select, insert, update on payment_refunds to vacancy_app;
grant select on payment_refunds to vacancy_lookout;
grant execute on function payment_refund_json to vacancy_app;

-- Payments and refunds that wait for the provider for longer than they should.
create function payments_to_settle(late interval)
returns table (org_id uuid, payment_intent_id uuid, payment_refund_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  (
    select intent.org_id, intent.id, null::uuid
    from payment_intents intent
    where intent.next_attempt_at < now() - late
    order by intent.next_attempt_at
    limit 500
  )
  union all
  (
    select refund.org_id, refund.payment_intent_id, refund.id
    from payment_refunds refund
    where refund.next_attempt_at < now() - late
    order by refund.next_attempt_at
    limit 500
  )
$$;
alter function payments_to_settle owner to vacancy_lookout;
grant execute on function payments_to_settle to vacancy_app;


-- Notices of the provider -------------------------------------------------------------------------

create table payment_notices (
  org_id uuid not null,
  notice_id text not null check (char_length(notice_id) between 1 and 255),
  payment_intent_id uuid not null,
  type text not null check (char_length(type) <= 255),
  copies integer not null default 1,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  primary key (org_id, notice_id),
  foreign key (org_id, payment_intent_id) references payment_intents (org_id, id)
);
comment on table payment_notices is
  'Notices of the provider whose signature is valid. What they say is not stored: the provider is asked for '
  'the state.';
comment on column payment_notices.copies is 'How often it arrived.';

create index payment_notices_by_age on payment_notices (received_at);

alter table payment_notices enable row level security, force row level security;
create policy tenant on payment_notices to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on payment_notices to vacancy_lookout
  using (true);
grant select, insert, update on payment_notices to vacancy_app;
grant select, delete on payment_notices to vacancy_lookout;

-- Deletes notices after a month, in steps of 10,000; returns how many. The provider repeats a notice for
-- three days.
create function forget_payment_notices_batch()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with deleted as (
    delete from payment_notices
    where (org_id, notice_id) in (
      select org_id, notice_id
      from payment_notices
      where received_at < now() - interval '30 days'
      limit 10000
    )
    returning 1
  )
  select count(*)
  from deleted
$$;
alter function forget_payment_notices_batch owner to vacancy_lookout;
grant execute on function forget_payment_notices_batch to vacancy_app;
