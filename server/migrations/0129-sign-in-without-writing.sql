-- A sign-in writes only when there is a membership to bind. An `update` of no row was rejected too while the database was
-- read-only, so that every request was, with the first look-up of its token, also those that only read.
create or replace function find_memberships(the_issuer text, the_subject text, the_email text, is_verified boolean)
returns table (
  org_id uuid, account_id uuid, role text, status text, member_id uuid, is_own boolean, is_bound boolean
)
language plpgsql volatile security definer
set search_path = public, pg_temp
as $$
begin
  if exists (
    select 1
    from members unbound
    where (unbound.subject is null and is_verified and lower(unbound.email) = lower(the_email))
      or (unbound.issuer is null and unbound.subject = the_subject)
  ) then
    perform pg_advisory_xact_lock(hashtextextended(the_issuer || ' ' || the_subject, 25));

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
  end if;

  return query
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
  );
end
$$;
