-- The list of what has a text in its name: the ids of up to 1,000 units, spaces or bookings of the organization, and null
-- when there are more, or when the text has too few letters for the index; then reading a page in order soon finds them.
--
-- Under the policy of vacancy_app no index is used for `ilike`, because it could leak what it compares: a name that nobody
-- has took 312 ms among 100,000. So the function runs as vacancy_lookout and names the organization itself.
create function records_named(kind text, part text)
returns uuid[]
language plpgsql stable security definer
set search_path = public, pg_temp
set enable_seqscan = off
set enable_indexscan = off
as $$
declare
  most constant integer := 1000;
  name_pattern text := '%' || regexp_replace(part, '([\\%_])', '\\\1', 'g') || '%';
  text_pattern text := '%' || regexp_replace(search_key(part), '([\\%_])', '\\\1', 'g') || '%';
  found_ids uuid[];
begin
  if search_key(part) !~ '[[:alnum:]]{3}' then
    return null;
  end if;

  if kind = 'unit' then
    found_ids := array(
      select unit.id
      from units unit
      where unit.org_id = current_org()
        and unit.deleted_at is null
        and unit.search_text like text_pattern
        and unit.name ilike name_pattern
      limit most + 1
    );
  elsif kind = 'space' then
    found_ids := array(
      select space.id
      from spaces space
      where space.org_id = current_org()
        and space.deleted_at is null
        and space.search_text like text_pattern
        and space.name ilike name_pattern
      limit most + 1
    );
  else
    found_ids := array(
      select booking.id
      from bookings booking
      where booking.org_id = current_org()
        and booking.deleted_at is null
        and booking.search_text like text_pattern
        and booking.guest_name ilike name_pattern
      limit most + 1
    );
  end if;
  return case when cardinality(found_ids) <= most then found_ids end;
end $$;
alter function records_named owner to vacancy_lookout;
grant execute on function records_named to vacancy_app;
