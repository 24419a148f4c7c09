-- Targets of one Hostaway account share a budget also when only one of them names the address of Hostaway.

create or replace function budget_key(config jsonb, target uuid)
returns text
language sql immutable parallel safe
return coalesce(config ->> 'provider', 'generic')
  || ' ' || lower(rtrim(coalesce(
    config ->> 'base_url',
    -- The default of integrations/pms/hostaway/hostaway-api.ts.
    case config ->> 'provider' when 'hostaway' then 'https://api.hostaway.com' else '' end
  ), '/'))
  || ' ' || coalesce(config #>> '{credentials,account_id}', config ->> 'property_ref', target::text);

-- The stored keys of existing targets are computed again.
update channel_targets
set name = name
where config ->> 'provider' = 'hostaway';
