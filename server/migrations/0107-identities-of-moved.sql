-- When what was left of a moved organization had been deleted, tokens that name it only by its id at the identity provider
-- got 403, and others 421.

alter table organization_moves add column identity_id text check (char_length(identity_id) between 1 and 255);
comment on column organization_moves.identity_id is
  'The id of the organization at the identity provider, kept when the rest of an organization that has left is deleted.';

create function find_moved_organizations(the_names text[])
returns table (org_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select move.org_id
  from organization_moves move
  where move.identity_id = any (the_names)
  limit 100
$$;
alter function find_moved_organizations owner to vacancy_lookout;
grant execute on function find_moved_organizations to vacancy_app;
