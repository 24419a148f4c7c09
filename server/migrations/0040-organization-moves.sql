-- Organizations that are frozen, and those that another cell serves (docs/decisions/0024-cells.md).

create table organization_moves (
  org_id uuid primary key,
  status text not null check (status in ('draining', 'frozen', 'copied', 'moved', 'arriving')),
  cell text check (char_length(cell) between 1 and 63),
  started_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table organization_moves is
  'Organizations that cannot be changed here, and no job of which runs here. Without a row, an organization is as usual. '
  'A row stays when an organization has left, so that its late requests are told so.';
comment on column organization_moves.status is
  'draining: running jobs end, and no other starts. frozen: only reads are possible. copied: the other cell has everything. '
  'moved: the other cell serves it. arriving: it was copied here, and the cell that it comes from still serves it.';
comment on column organization_moves.cell is 'The other cell; null when the organization is only frozen.';

alter table organization_moves enable row level security, force row level security;
create policy tenant on organization_moves to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on organization_moves for select to vacancy_lookout
  using (true);
create policy worker on organization_moves for select to vacancy_queue
  using (true);
create policy provisioning on organization_moves to current_user
  using (true)
  with check (true);
grant select on organization_moves to vacancy_app, vacancy_lookout, vacancy_queue;

-- Every transaction of a request or a job calls this first, so that PostgreSQL refuses what a frozen organization must
-- not do, whichever statement tries: 25006 is a write in a read-only transaction, VA421 is any use of an organization
-- that another cell serves.
create function enter_organization(org uuid)
returns void
language plpgsql stable strict security definer
set search_path = public, pg_temp
as $$
declare
  found_status text;
begin
  select status into found_status from organization_moves where org_id = org;
  if found_status in ('moved', 'arriving') then
    raise exception 'The organization % is served by another cell.', org using errcode = 'VA421';
  elsif found_status in ('frozen', 'copied') then
    perform set_config('transaction_read_only', 'on', true);
  end if;
end
$$;
alter function enter_organization owner to vacancy_lookout;
-- A pooler drops the role of the connection, so the login calls it.
grant execute on function enter_organization to public;
