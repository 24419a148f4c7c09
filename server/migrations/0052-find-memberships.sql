-- A sign-in finds the memberships of its e-mail address by their index. Rows that are read `for update` must also pass
-- the policy for updates, and PostgreSQL compares such rows by `lower(email)` only after the policy, because `lower` is
-- not marked leakproof: it read all members of the installation. So the ids are found first, and locked then.

create or replace function find_memberships(the_issuer text, the_subject text, the_email text, is_verified boolean)
returns table (
  org_id uuid, account_id uuid, role text, status text, member_id uuid, is_own boolean, is_bound boolean
)
language sql volatile security definer
set search_path = public, pg_temp
as $$
  select pg_advisory_xact_lock(hashtextextended(the_issuer || ' ' || the_subject, 25))
  where exists (
    select 1
    from members unbound
    where (unbound.subject is null and is_verified and lower(unbound.email) = lower(the_email))
      or (unbound.issuer is null and unbound.subject = the_subject)
  );

  update members member
  set issuer = the_issuer, updated_at = now()
  where member.id = any(array(
    select unbound.id
    from members unbound
    where unbound.issuer is null
      and unbound.subject = the_subject
      and not exists (
        select 1
        from members other
        where other.org_id = unbound.org_id
          and other.subject = the_subject
          and (other.issuer = the_issuer or other.issuer is null and other.id < unbound.id)
      )
    order by unbound.id
    for update
  ));

  update members member
  set issuer = the_issuer, subject = the_subject, updated_at = now()
  where member.id = any(array(
    select unbound.id
    from members unbound
    where unbound.id = any(array(
        select addressed.id
        from members addressed
        where addressed.subject is null
          and is_verified
          and lower(addressed.email) = lower(the_email)
      ))
      and unbound.subject is null
      and not exists (
        select 1
        from members other
        where other.org_id = unbound.org_id and other.issuer = the_issuer and other.subject = the_subject
      )
    order by unbound.id
    for update
  ));

  (
    select member.org_id, member.account_id, member.role, member.status, member.id, true, true
    from members member
    where member.issuer = the_issuer and member.subject = the_subject
    order by member.created_at, member.id
    limit 100
  )
  union all
  (
    select
      member.org_id, member.account_id, member.role, member.status, member.id, false,
      member.subject is not null
    from members member
    where lower(member.email) = lower(the_email)
      and (
        member.subject is null
        or member.issuer is distinct from the_issuer
        or member.subject <> the_subject
      )
    order by member.created_at, member.id
    limit 100
  )
$$;
