-- What the PMS tells of a guest beside what people here wrote: neither overwrites the other.

alter table bookings drop column json;
alter table bookings
  add column pms_notes text check (char_length(pms_notes) <= 10000), -- what the PMS says; `notes` are our own
  -- `guestName`, `guestEmail`, `guestPhone` as the PMS told them last: what a person changed here stays until the PMS
  -- tells another value. Null: nothing was recorded, and what stands in the columns is what the PMS told.
  add column pms_guest jsonb check (jsonb_typeof(pms_guest) = 'object');

drop function booking_json;
create function booking_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, rate_plan_id uuid, quote_id uuid, guest_name text, guest_email text,
  guest_phone text, guests integer, rooms integer, nights daterange, check_in timestamptz, check_out timestamptz,
  total_cents bigint, currency text, status text, source text, channel_target_id uuid, external_id text, notes text,
  pms_notes text, hold_expires_at timestamptz, cancelled_at timestamptz, cancellation_reason text, created_at timestamptz,
  updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(b)::text from (select id, org_id, account_id, unit_id as "unitId", rate_plan_id as "ratePlanId",
    quote_id as "quoteId", guest_name as "guestName", guest_email as "guestEmail", guest_phone as "guestPhone", guests,
    rooms, iso(check_in) as "checkIn", iso(check_out) as "checkOut", lower(nights) as arrival, upper(nights) as departure,
    upper(nights) - lower(nights) as nights, total_cents as "totalCents", currency, status, source,
    channel_target_id as "channelTargetId", external_id as "externalId", notes, pms_notes,
    iso(hold_expires_at) as "holdExpiresAt", iso(cancelled_at) as "cancelledAt",
    cancellation_reason as "cancellationReason", iso(created_at) as "createdAt", iso(updated_at) as "updatedAt") b
$$;
grant execute on function booking_json to vacancy_app;

-- A guest is also found by the address and the number that only the PMS has; the same as our own is not stored twice.
alter table bookings
  add column pms_email_key text generated always as
    (nullif(lower(pms_guest ->> 'guestEmail'), coalesce(lower(guest_email), ''))) stored,
  add column pms_phone_key text generated always as
    (nullif(regexp_replace(pms_guest ->> 'guestPhone', '[^0-9]', '', 'g'),
      coalesce(regexp_replace(guest_phone, '[^0-9]', '', 'g'), ''))) stored,
  add column json text not null generated always as (booking_json(id, org_id, account_id, unit_id, rate_plan_id, quote_id,
    guest_name, guest_email, guest_phone, guests, rooms, nights, check_in, check_out, total_cents, currency, status, source,
    channel_target_id, external_id, notes, pms_notes, hold_expires_at, cancelled_at, cancellation_reason, created_at,
    updated_at)) stored;
create index bookings_by_pms_email on bookings (org_id, pms_email_key) where pms_email_key is not null;
create index bookings_by_pms_phone on bookings (org_id, pms_phone_key) where pms_phone_key is not null;

-- What the PMS says of a guest is a guest's data like any other.
drop trigger keep_guest_again on bookings;
create trigger keep_guest_again before update on bookings for each row
  when (old.guest_erased_at is not null and new.guest_erased_at is not null
    and (new.guest_name, new.guest_email, new.guest_phone, new.notes, new.pms_notes)
      is distinct from (old.guest_name, old.guest_email, old.guest_phone, old.notes, old.pms_notes))
  execute function keep_guest_again();
