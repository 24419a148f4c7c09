-- As in migration 68, but a part of a name is compared as the search does: "sao joao" finds "São João".
create or replace function records_named(kind text, part text)
returns uuid[]
language plpgsql stable security definer
set search_path = public, pg_temp
set enable_seqscan = off
set enable_indexscan = off
as $$
declare
  most constant integer := 3000;
  pattern text := '%' || regexp_replace(search_key(part), '([\\%_])', '\\\1', 'g') || '%';
  found_ids uuid[];
begin
  if search_key(part) !~ '[[:alnum:]]{3}' or is_frequent(sample_texts(kind, 'search_key(name)'), array[pattern]) then
    return null;
  end if;

  execute format(
    'select array(select id from %s where org_id = current_org() and search_text like $1 and search_key(name) like $1 limit $2)',
    searched_records(kind)
  ) into found_ids using pattern, most + 1;
  return case when cardinality(found_ids) <= most then found_ids end;
end $$;
