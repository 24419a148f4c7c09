-- Today counts the stays from two indexes: it read whole those around today, 16,000 of a million, and all arrivals of 38 days,
-- 33,000, each with its payments.

drop index bookings_by_departure;
create index bookings_by_departure on bookings (org_id, is_long, departure)
  include (
    arrival, status, account_id, unit_id, rooms, total_cents, currency, source, channel_target_id, guests, check_in,
    check_out, created_at, id
  )
  where deleted_at is null;

alter table bookings add paid_cents bigint;
comment on column bookings.paid_cents is
  'What was paid here, less refunds; null when no payment was requested. A trigger of the payments keeps it.';

create function bookings_follow_payments()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  update bookings
  set paid_cents = coalesce(paid_cents, 0) + new.amount_received - new.amount_refunded
    - case when tg_op = 'UPDATE' then old.amount_received - old.amount_refunded else 0 end
  where org_id = new.org_id and id = new.booking_id;
  return null;
end $$;
-- An import brings the bookings with what was paid.
create trigger bookings_follow_new_payments after insert on payment_intents
  for each row when (current_user <> 'vacancy_import')
  execute function bookings_follow_payments();
create trigger bookings_follow_payments after update on payment_intents
  for each row when (
    (old.amount_received, old.amount_refunded) <> (new.amount_received, new.amount_refunded)
    and current_user <> 'vacancy_import'
  )
  execute function bookings_follow_payments();

update bookings booking
set paid_cents = paid.cents
from (
  select org_id, booking_id, sum(amount_received - amount_refunded) as cents
  from payment_intents
  group by org_id, booking_id
) paid
where paid.org_id = booking.org_id and paid.booking_id = booking.id;

create index bookings_unpaid on bookings (org_id, arrival, id)
  include (unit_id, check_in, created_at)
  where deleted_at is null
    and status in ('confirmed', 'checked_in', 'checked_out')
    and total_cents > coalesce(paid_cents, 0)
    and (source <> 'pms' or paid_cents is not null);

-- The time zones of an organization are found by one step for each.
create index spaces_by_timezone on spaces (org_id, timezone);
