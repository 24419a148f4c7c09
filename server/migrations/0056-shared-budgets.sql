-- What a PMS allows counts by property or account there, whichever of our targets asks: targets of an organization that
-- lead to the same place share one budget. Release by release: target_syncs.budgets stays for the one before this.
create function budget_key(config jsonb, target uuid) returns text language sql immutable parallel safe
  return coalesce(config ->> 'provider', 'sandbox')
    || ' ' || lower(rtrim(coalesce(config ->> 'base_url', ''), '/'))
    || ' ' || coalesce(config #>> '{credentials,account_id}', config ->> 'property_ref', target::text);
grant execute on function budget_key to vacancy_app;
alter table channel_targets add column budget_key text not null generated always as (budget_key(config, id)) stored;
create index channel_targets_of_budget on channel_targets (org_id, budget_key);

create table call_budgets (
  org_id uuid not null references organizations (id),
  key text not null,
  budgets jsonb not null default '{}',         -- by kind: {sent: [ms], blocked_until: ms, refusals, calls, kept}
  used_at timestamptz(3) not null default now(),
  primary key (org_id, key)
) with (fillfactor = 70);
alter table channel_targets no force row level security;
alter table target_syncs no force row level security;
insert into call_budgets (org_id, key, budgets)
  select distinct on (t.org_id, t.budget_key) t.org_id, t.budget_key, g.budgets
  from channel_targets t join target_syncs g on g.org_id = t.org_id and g.channel_target_id = t.id
  where g.budgets <> '{}'
  order by t.org_id, t.budget_key, length(g.budgets::text) desc;
alter table target_syncs force row level security;
alter table channel_targets force row level security;
alter table call_budgets enable row level security;
alter table call_budgets force row level security;
create policy tenant on call_budgets to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert, update, delete on call_budgets to vacancy_app;
