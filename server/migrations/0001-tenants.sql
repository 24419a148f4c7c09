-- Who uses the product: organizations, their accounts, and the people who may act for them.

-- The role that requests and jobs run under. It owns nothing and cannot bypass row-level security.
do $$ begin
  create role vacancy_app nologin nosuperuser nobypassrls;
exception when duplicate_object or unique_violation then null;
end $$;
-- Owns the few functions that must see across organizations; each of them answers with ids only.
do $$ begin
  create role vacancy_lookout nologin nosuperuser nobypassrls;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  execute format('grant vacancy_app, vacancy_lookout to %I', current_user);
end $$;
-- The lookout may only own functions in this schema while migrations run; nobody can log in as it.
grant usage, create on schema public to vacancy_lookout;
grant usage on schema public to vacancy_app;
alter default privileges revoke execute on functions from public;

-- The organization that the current transaction acts for; null outside of one, so nothing is visible then.
create function current_org() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.org_id', true), '')::uuid;

-- A point in time as the contract spells it: UTC, milliseconds, Z.
create function iso(moment timestamptz) returns text language sql immutable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create function organization_json(id uuid, name text, tier text, settings jsonb, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(o)::text from (select id, name, tier, settings, iso(created_at) as created_at, iso(updated_at) as updated_at) o
$$;

-- A business with its own stock. Every other record belongs to exactly one.
create table organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  tier text not null default 'free',          -- free | paid | enterprise; an unknown value counts as free
  settings jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (organization_json(id, name, tier, settings, created_at, updated_at)) stored
);
comment on column organizations.json is 'The record as the API answers it; generated, so it cannot go stale.';

create function account_json(id uuid, org_id uuid, name text, type text, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(a)::text from (select id, org_id, name, type, iso(created_at) as created_at, iso(updated_at) as updated_at) a
$$;

-- A part of an organization: its own business, an owner, an agency.
create table accounts (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  name text not null check (char_length(name) between 1 and 255),
  type text not null default 'operator' check (type in ('operator', 'owner', 'agency', 'sandbox')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (account_json(id, org_id, name, type, created_at, updated_at)) stored,
  unique (org_id, id)
);
create index accounts_by_creation on accounts (org_id, created_at, id);

-- A person who may act for an organization. Tokens may carry the same facts as claims; a row here wins.
create table members (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  email text not null,
  name text,
  issuer text,                                -- with subject, the identity; null until the first sign-in
  subject text,
  role text not null check (role in ('owner', 'admin', 'manager', 'staff', 'viewer', 'service')),
  status text not null default 'active' check (status in ('active', 'removed')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (org_id, account_id) references accounts (org_id, id),
  unique (org_id, id)
);
create unique index members_by_email on members (org_id, lower(email));
create unique index members_by_identity on members (org_id, issuer, subject) where subject is not null;
create index members_of_subject on members (issuer, subject) where subject is not null;
create index members_of_email on members (lower(email));

-- Tokens that were signed out before they expired, by the SHA-256 of their signed part. Kept until they expire.
create table revoked_tokens (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3) not null default now()
);
create index revoked_tokens_by_expiry on revoked_tokens (expires_at);

alter table organizations enable row level security;
alter table organizations force row level security;
alter table accounts enable row level security;
alter table accounts force row level security;
alter table members enable row level security;
alter table members force row level security;
create policy tenant on organizations to vacancy_app using (id = current_org()) with check (id = current_org());
create policy tenant on accounts to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy tenant on members to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy lookout on organizations for select to vacancy_lookout using (true);
create policy lookout on members for select to vacancy_lookout using (true);
create policy first_sign_in on members for update to vacancy_lookout using (subject is null) with check (subject is not null);
grant select on organizations, accounts to vacancy_app;
grant select on members to vacancy_app;
grant select, insert, delete on revoked_tokens to vacancy_app;
grant select on organizations, members to vacancy_lookout;
grant update (issuer, subject, updated_at) on members to vacancy_lookout;

-- The memberships of one identity, asked before an organization is known: ids and roles only. A member added by
-- e-mail address becomes this identity with the first sign-in; from then on the address alone opens nothing.
create function memberships_of(the_issuer text, the_subject text, the_email text)
returns table (org_id uuid, account_id uuid, role text, status text)
language sql volatile security definer set search_path = public, pg_temp as $$
  update members m set issuer = the_issuer, subject = the_subject, updated_at = now()
  where m.subject is null and lower(m.email) = lower(the_email) and not exists (
    select 1 from members o where o.org_id = m.org_id and o.issuer = the_issuer and o.subject = the_subject);
  select m.org_id, m.account_id, m.role, m.status from members m
  where m.issuer = the_issuer and m.subject = the_subject
  order by m.created_at, m.id limit 100
$$;
alter function memberships_of owner to vacancy_lookout;

grant execute on function current_org, iso, organization_json, account_json, memberships_of to vacancy_app, vacancy_lookout;

-- Organizations, accounts and members are made by whoever may migrate (`vacancy org create`), never by the API.
do $$ declare name text; begin
  foreach name in array array['organizations', 'accounts', 'members'] loop
    execute format('create policy provisioning on %I to %I using (true) with check (true)', name, current_user);
  end loop;
end $$;
