-- Booking conflicts, file imports and messages of no target are counted too: whatever `retention/delete-expired.ts` deletes.
create or replace function expired_rows(notification_days integer)
returns table (kind text, expired bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'revoked_tokens', count(*)
  from (
    select 1
    from revoked_tokens
    where expires_at < now()
    limit 10000
  ) expired
  union all
  select 'quotes', count(*)
  from (
    select 1
    from quotes
    where expires_at < now() - interval '30 days' and booking_id is null and hold_booking_id is null
    limit 10000
  ) expired
  union all
  select 'notifications', count(*)
  from (
    select 1
    from notifications
    where created_at at time zone 'UTC' < (now() - make_interval(days => notification_days)) at time zone 'UTC'
    limit 10000
  ) expired
  union all
  select 'payment_notices', count(*)
  from (
    select 1
    from payment_notices
    where received_at < now() - interval '30 days'
    limit 10000
  ) expired
  union all
  select 'calendar_changes', count(*)
  from (
    select 1
    from calendar_changes
    where created_at at time zone 'UTC' < (now() - interval '90 days') at time zone 'UTC'
    limit 10000
  ) expired
  union all
  select 'unrouted_webhooks', count(*)
  from (
    select 1
    from unrouted_webhooks
    where received_at < now() - interval '30 days'
    limit 10000
  ) expired
  union all
  select 'booking_conflicts', count(*)
  from (
    select 1
    from booking_conflicts
    where closed_at < now() - interval '90 days'
    limit 10000
  ) expired
  union all
  select 'file_imports', count(*)
  from (
    select 1
    from file_imports
    where updated_at < now() - interval '30 days'
    limit 10000
  ) expired
$$;
