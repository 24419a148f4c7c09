-- A conflict of identities is over a week after its last attempt, and at once when the member was removed or the
-- membership was given to the identity that was refused.
create or replace function identity_conflicts_to_close(quiet_for interval)
returns table (org_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select a.org_id from alerts a
  where a.kind = 'member.identity_conflict' and a.resolved_at is null and (a.last_at < now() - quiet_for or exists (
    select 1 from members m where m.org_id = a.org_id and m.id::text = a.details ->> 'member_id'
      and (m.status = 'removed'
        or (m.issuer = a.details ->> 'issuer' and m.subject = a.details ->> 'subject'))))
$$;
