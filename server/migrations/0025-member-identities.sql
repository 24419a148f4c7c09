-- A membership belongs to one identity, (issuer, subject), from the first verified sign-in on.

-- A row may be bound once: where no subject, or no issuer, is recorded yet.
drop policy first_sign_in on members;
create policy first_sign_in on members for update to vacancy_lookout
  using (issuer is null or subject is null) with check (issuer is not null and subject is not null);

-- The memberships of an identity, asked before an organization is known: ids and roles only.
-- Binds what is not bound yet: by the address when the provider says it is verified, or by a subject that was recorded
-- without an issuer. Of several identities that sign in with one address at once the first takes the row, and the others
-- find it taken. The lock makes sign-ins of one identity follow each other, so that it takes one row of an organization.
-- `is_own` is false for the memberships of others that were added under this address.
-- The previous release still calls memberships_of, which a later migration drops.
create function find_memberships(the_issuer text, the_subject text, the_email text, is_verified boolean)
returns table (org_id uuid, account_id uuid, role text, status text, member_id uuid, is_own boolean, is_bound boolean)
language sql volatile security definer set search_path = public, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended(the_issuer || ' ' || the_subject, 25)) where exists (
    select 1 from members m where (m.subject is null and is_verified and lower(m.email) = lower(the_email))
      or (m.issuer is null and m.subject = the_subject));
  update members m set issuer = the_issuer, updated_at = now() where m.id in (
    select u.id from members u where u.issuer is null and u.subject = the_subject
      and not exists (select 1 from members o where o.org_id = u.org_id and o.subject = the_subject
        and (o.issuer = the_issuer or o.issuer is null and o.id < u.id))
    order by u.id for update);
  update members m set issuer = the_issuer, subject = the_subject, updated_at = now() where m.id in (
    select u.id from members u where u.subject is null and is_verified and lower(u.email) = lower(the_email)
      and not exists (
        select 1 from members o where o.org_id = u.org_id and o.issuer = the_issuer and o.subject = the_subject)
    order by u.id for update);
  (select m.org_id, m.account_id, m.role, m.status, m.id, true, true from members m
    where m.issuer = the_issuer and m.subject = the_subject
    order by m.created_at, m.id limit 100)
  union all
  (select m.org_id, m.account_id, m.role, m.status, m.id, false, m.subject is not null from members m
    where lower(m.email) = lower(the_email)
      and (m.subject is null or m.issuer is distinct from the_issuer or m.subject <> the_subject)
    order by m.created_at, m.id limit 100)
$$;
alter function find_memberships owner to vacancy_lookout;
grant execute on function find_memberships to vacancy_app;

create index members_without_issuer on members (subject) where issuer is null and subject is not null;

-- The code knows the kinds; a list here would have to change with each of them, and before the old release is gone.
alter table alerts drop constraint alerts_kind_check,
  add constraint alerts_kind_check check (kind ~ '^[a-z_]+\.[a-z_]+$' and char_length(kind) <= 64);

-- Organizations whose conflict of identities has not been repeated for long: ids only, across organizations.
create function identity_conflicts_to_close(quiet_for interval)
returns table (org_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select a.org_id from alerts a
  where a.kind = 'member.identity_conflict' and a.resolved_at is null and a.last_at < now() - quiet_for
$$;
create policy lookout on alerts for select to vacancy_lookout using (true);
grant select on alerts to vacancy_lookout;
alter function identity_conflicts_to_close owner to vacancy_lookout;
grant execute on function identity_conflicts_to_close to vacancy_app;
create index alerts_of_identities on alerts (last_at) where kind = 'member.identity_conflict' and resolved_at is null;
