-- Who uses the service: organizations, their accounts, and the people who may act for them.

-- Organizations -----------------------------------------------------------------------------------

create function organization_json(
  id uuid, name text, tier text, settings jsonb, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select id, name, tier, settings, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  tier text not null default 'free',
  settings jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    organization_json(id, name, tier, settings, created_at, updated_at)
  ) stored
);
comment on table organizations is
  'A business with its own stock. Every record of the service belongs to exactly one organization.';
comment on column organizations.tier is 'free, paid or enterprise; an unknown value counts as free.';
comment on column organizations.version is
  'Incremented by every change. The ETag of the record is made from it, here and in all other tables.';
comment on column organizations.json is
  'The record as the API returns it. It is generated, so it cannot differ from the columns, here and in all '
  'other tables.';

alter table organizations enable row level security, force row level security;
create policy tenant on organizations to vacancy_app
  using (id = current_org())
  with check (id = current_org());
create policy lookout on organizations for select to vacancy_lookout
  using (true);
-- Organizations, accounts and members are written by the login that migrates (`vacancy org create`), not by
-- the API.
create policy provisioning on organizations to current_user
  using (true)
  with check (true);
grant select, update (settings, version, updated_at) on organizations to vacancy_app;
grant select on organizations to vacancy_lookout;
grant execute on function organization_json to vacancy_app;


-- Accounts ----------------------------------------------------------------------------------------

create function account_json(
  id uuid, org_id uuid, name text, type text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select id, org_id, name, type, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table accounts (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  name text not null check (char_length(name) between 1 and 255),
  type text not null default 'operator' check (type in ('operator', 'owner', 'agency', 'sandbox')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    account_json(id, org_id, name, type, created_at, updated_at)
  ) stored,
  unique (org_id, id)
);
comment on table accounts is 'A part of an organization: its own business, an owner, or an agency.';

create index accounts_by_creation on accounts (org_id, created_at, id);

alter table accounts enable row level security, force row level security;
create policy tenant on accounts to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy provisioning on accounts to current_user
  using (true)
  with check (true);
grant select on accounts to vacancy_app;
grant execute on function account_json to vacancy_app;


-- Members -----------------------------------------------------------------------------------------

create table members (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  email text not null,
  name text,
  issuer text,
  subject text,
  role text not null check (role in ('owner', 'admin', 'manager', 'staff', 'viewer', 'service')),
  status text not null default 'active' check (status in ('active', 'removed')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
comment on table members is
  'A person who may act for an organization. A token may carry the same facts as claims; this row has '
  'precedence.';
comment on column members.issuer is
  'Together with subject the identity of the person. Null until the first verified sign-in.';

create unique index members_by_email on members (org_id, lower(email));
create unique index members_by_identity on members (org_id, issuer, subject) where subject is not null;
create index members_of_subject on members (issuer, subject) where subject is not null;
create index members_of_email on members (lower(email));
create index members_without_issuer on members (subject) where issuer is null and subject is not null;

alter table members enable row level security, force row level security;
create policy tenant on members to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on members for select to vacancy_lookout
  using (true);
-- A row may be bound to an identity once: while no subject, or no issuer, is recorded.
create policy first_sign_in on members for update to vacancy_lookout
  using (issuer is null or subject is null)
  with check (issuer is not null and subject is not null);
create policy provisioning on members to current_user
  using (true)
  with check (true);
grant select on members to vacancy_app;
grant select, update (issuer, subject, updated_at) on members to vacancy_lookout;

-- The memberships of an identity, read before the organization of a request is known: ids and roles only.
--
-- It first binds memberships that have no identity yet: those with the e-mail address, if the provider says
-- that the address is verified, and those with this subject but without an issuer. When several identities
-- sign in with one address at the same time, the first takes the row and the others find it taken. The lock
-- makes the sign-ins of one identity follow each other, so that it takes only one row of an organization.
--
-- `is_own` is false for memberships that were added for this address and belong to another identity.
create function find_memberships(the_issuer text, the_subject text, the_email text, is_verified boolean)
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
  where member.id in (
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
  );

  update members member
  set issuer = the_issuer, subject = the_subject, updated_at = now()
  where member.id in (
    select unbound.id
    from members unbound
    where unbound.subject is null
      and is_verified
      and lower(unbound.email) = lower(the_email)
      and not exists (
        select 1
        from members other
        where other.org_id = unbound.org_id and other.issuer = the_issuer and other.subject = the_subject
      )
    order by unbound.id
    for update
  );

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
alter function find_memberships owner to vacancy_lookout;
grant execute on function find_memberships to vacancy_app;


-- Signed-out tokens -------------------------------------------------------------------------------

create table revoked_tokens (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3) not null default now()
);
comment on table revoked_tokens is
  'Tokens that were signed out before they expired. A row is deleted when its token has expired.';
comment on column revoked_tokens.token_hash is 'SHA-256 of the signed part of the token.';

create index revoked_tokens_by_expiry on revoked_tokens (expires_at);

grant select, insert on revoked_tokens to vacancy_app;
grant select, delete on revoked_tokens to vacancy_lookout;
