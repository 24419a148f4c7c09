-- Answers kept for repeated requests with the same Idempotency-Key, written with the effect they belong to.
create table idempotency_keys (
  org_id uuid not null references organizations (id),
  operation text not null,                     -- method and route template
  key text not null check (char_length(key) between 1 and 255),
  fingerprint bytea not null,                  -- SHA-256 of what was asked
  status integer not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy tenant on idempotency_keys to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert, delete on idempotency_keys to vacancy_app;

-- Housekeeping across organizations: removes what is past its time, in small steps; returns how many rows went.
create policy lookout on idempotency_keys to vacancy_lookout using (true);
grant select, delete on idempotency_keys to vacancy_lookout;
grant select, delete on revoked_tokens to vacancy_lookout;
create function forget_expired() returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with keys as (
    delete from idempotency_keys where (org_id, operation, key) in
      (select org_id, operation, key from idempotency_keys where created_at < now() - interval '24 hours' limit 10000) returning 1),
  tokens as (
    delete from revoked_tokens where token_hash in
      (select token_hash from revoked_tokens where expires_at < now() limit 10000) returning 1)
  select (select count(*) from keys) + (select count(*) from tokens)
$$;
alter function forget_expired owner to vacancy_lookout;
grant execute on function forget_expired to vacancy_app;
