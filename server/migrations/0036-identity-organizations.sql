-- The id by which the identity provider knows an organization, such as the tenant of Microsoft Entra.

alter table organizations add column identity_id text unique check (char_length(identity_id) between 1 and 255);
comment on column organizations.identity_id is
  'The id of the organization at the identity provider. Tokens that name it act for the organization, as do '
  'those that name `id`.';

-- The organizations that a token names, read before the organization of a request is known: ids only.
create function find_token_organizations(the_ids uuid[], the_names text[])
returns table (org_id uuid, identity_id text)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select organization.id, organization.identity_id
  from organizations organization
  where organization.id = any (the_ids) or organization.identity_id = any (the_names)
  order by organization.created_at, organization.id
  limit 100
$$;
alter function find_token_organizations owner to vacancy_lookout;
grant execute on function find_token_organizations to vacancy_app;
