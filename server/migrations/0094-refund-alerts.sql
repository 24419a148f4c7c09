-- Alerts about refunds that failed are closed after a time without another: the guest may have been paid in another way.

create index payment_refunds_failed on payment_refunds (org_id, updated_at) where status = 'failed';
create index alerts_of_refunds on alerts (last_at) where kind = 'refund.failed' and resolved_at is null;

create function refund_alerts_to_close(quiet_for interval)
returns table (org_id uuid, unit_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select alert.org_id, alert.unit_id
  from alerts alert
  where alert.kind = 'refund.failed'
    and alert.resolved_at is null
    and alert.last_at < now() - quiet_for
  order by alert.last_at
  limit 500
$$;
alter function refund_alerts_to_close owner to vacancy_lookout;
grant execute on function refund_alerts_to_close to vacancy_app;
