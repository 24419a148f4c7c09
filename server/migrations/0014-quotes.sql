-- Prices that were offered for a stay.

create function quote_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, rate_plan_id uuid, check_in date, check_out date,
  guests integer, rooms integer, currency text, nightly json, line_items json, subtotal_cents bigint,
  discounts_cents bigint, fees_cents bigint, taxes_cents bigint, included_taxes_cents bigint,
  total_cents bigint, deposit_cents bigint, booking_id uuid, hold_booking_id uuid, expires_at timestamptz,
  created_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, unit_id, rate_plan_id, check_in, check_out, check_out - check_in as nights,
      guests, rooms, currency, nightly, line_items, subtotal_cents, discounts_cents, fees_cents, taxes_cents,
      included_taxes_cents, total_cents, deposit_cents, true as available, booking_id,
      case
        when hold_booking_id is not null
          then json_build_object('booking_id', hold_booking_id, 'expires_at', iso(expires_at))
      end as hold,
      iso(expires_at) as expires_at, iso(created_at) as created_at
  ) record
$$;

create table quotes (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  rate_plan_id uuid,
  check_in date not null,
  check_out date not null check (check_out > check_in),
  guests integer not null check (guests >= 1),
  rooms integer not null check (rooms >= 1),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  nightly json not null,
  line_items json not null,
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  discounts_cents bigint not null check (discounts_cents between 0 and subtotal_cents),
  fees_cents bigint not null check (fees_cents >= 0),
  taxes_cents bigint not null check (taxes_cents >= 0),
  included_taxes_cents bigint not null check (included_taxes_cents >= 0),
  total_cents bigint not null check (
    total_cents = subtotal_cents - discounts_cents + fees_cents + taxes_cents
  ),
  deposit_cents bigint not null check (deposit_cents >= 0),
  booking_id uuid,
  hold_booking_id uuid,
  expires_at timestamptz(3) not null,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  json text not null generated always as (
    quote_json(
      id, org_id, account_id, unit_id, rate_plan_id, check_in, check_out, guests, rooms, currency, nightly,
      line_items, subtotal_cents, discounts_cents, fees_cents, taxes_cents, included_taxes_cents, total_cents,
      deposit_cents, booking_id, hold_booking_id, expires_at, created_at
    )
  ) stored,
  unique (org_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade
    on delete cascade,
  foreign key (org_id, unit_id, rate_plan_id) references rate_plans (org_id, unit_id, id)
    on delete set null (rate_plan_id),
  foreign key (org_id, booking_id) references bookings (org_id, id)
    on delete set null (booking_id),
  foreign key (org_id, hold_booking_id) references bookings (org_id, id)
    on delete set null (hold_booking_id)
);
comment on table quotes is
  'A price that was offered for a stay. It never changes; only the booking that uses it is written to it.';
comment on column quotes.rate_plan_id is 'Null when the plan was deleted: it can no longer be used for a booking.';
comment on column quotes.check_in is 'The first night, a local date of the space. Likewise check_out.';
comment on column quotes.nightly is '[{date, price_cents}], of one room.';
comment on column quotes.booking_id is 'The booking that has this price.';
comment on column quotes.hold_booking_id is 'The pending booking that keeps the rooms free until expires_at.';

alter table bookings add foreign key (org_id, quote_id) references quotes (org_id, id);

create index quotes_by_creation on quotes (org_id, created_at, id);
create index quotes_of_unit on quotes (org_id, unit_id, created_at, id);
create index quotes_of_plan on quotes (org_id, rate_plan_id) where rate_plan_id is not null;
create index quotes_of_booking on quotes (org_id, booking_id) where booking_id is not null;
create index quotes_of_hold on quotes (org_id, hold_booking_id) where hold_booking_id is not null;
create index quotes_by_expiry on quotes (expires_at) where booking_id is null and hold_booking_id is null;

alter table quotes enable row level security, force row level security;
create policy tenant on quotes to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on quotes to vacancy_lookout
  using (true);
grant select, insert, update, delete on quotes to vacancy_app;
grant select, delete on quotes to vacancy_lookout;
grant execute on function quote_json to vacancy_app;

-- Deletes unused quotes a month after they expired, in steps of 10,000; returns how many.
create function forget_quotes()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with deleted as (
    delete from quotes
    where id in (
      select id
      from quotes
      where expires_at < now() - interval '30 days' and booking_id is null and hold_booking_id is null
      order by expires_at
      limit 10000
    )
    returning 1
  )
  select count(*)
  from deleted
$$;
alter function forget_quotes owner to vacancy_lookout;
grant execute on function forget_quotes to vacancy_app;
