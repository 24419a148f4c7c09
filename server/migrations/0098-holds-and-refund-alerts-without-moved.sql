-- As in 0096: one organization that is frozen or has moved could keep all others from being found.

create or replace function holds_to_expire(late interval)
returns table (org_id uuid, booking_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select booking.org_id, booking.id
  from bookings booking
  where booking.org_id not in (select move.org_id from organization_moves move)
    and booking.status = 'pending'
    and booking.deleted_at is null
    and booking.hold_expires_at < now() - late
  order by booking.hold_expires_at
  limit 1000
$$;

create or replace function refund_alerts_to_close(quiet_for interval)
returns table (org_id uuid, unit_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select alert.org_id, alert.unit_id
  from alerts alert
  where alert.org_id not in (select move.org_id from organization_moves move)
    and alert.kind = 'refund.failed'
    and alert.resolved_at is null
    and alert.last_at < now() - quiet_for
  order by alert.last_at
  limit 500
$$;
