-- A PMS may change the currency of a booking that is partly paid: what was paid in the former currency paid nothing of the new
-- price.

create or replace function bookings_follow_payments()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  update bookings
  set paid_cents = coalesce(paid_cents, 0) + new.amount_received - new.amount_refunded
    - case when tg_op = 'UPDATE' then old.amount_received - old.amount_refunded else 0 end
  where org_id = new.org_id and id = new.booking_id and currency = new.currency;
  return null;
end $$;

create function bookings_count_payments()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  new.paid_cents = (
    select coalesce(sum(amount_received - amount_refunded), 0)
    from payment_intents
    where org_id = new.org_id and booking_id = new.id and currency = new.currency
  );
  return new;
end $$;
create trigger bookings_count_payments before update of currency on bookings
  for each row when (old.currency <> new.currency and new.paid_cents is not null)
  execute function bookings_count_payments();
comment on column bookings.paid_cents is
  'What was paid here in its currency, less refunds; null when no payment was requested. Triggers keep it.';
