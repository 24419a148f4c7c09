-- Of several frequent words, only the rarest chose the rows: 200 to 700 ms among a million. Now each word is a condition of
-- its own, and the index returns what contains all of their trigrams.

-- The words that choose the rows: the one with the rarest run, and when that is frequent, two others with trigrams.
create function choosing_patterns(texts text[], driver text, patterns text[])
returns text[]
language sql immutable
return (
  select main || case when is_frequent(texts, main) then array(
    select pattern
    from unnest(patterns) pattern
    where pattern <> all (main) and pattern ~ '[[:alnum:]]{3}'
    limit 2
  ) end
  from (
    select array[coalesce((select pattern from unnest(patterns) pattern where pattern like driver limit 1), driver)] as main
  ) rarest
);

-- Of two columns there is one condition for each way to find the words in them, as the index is searched for each.
create function matches_all(columns text[], patterns text[])
returns text
language sql immutable
return (
  select '(' || string_agg(
    (
      select string_agg(
        format('%I like %L', columns[1 + (way / (cardinality(columns) ^ (number - 1))::int) % cardinality(columns)], patterns[number]),
        ' and '
      )
      from generate_series(1, cardinality(patterns)) number
    ),
    ' or '
  ) || ')'
  from generate_series(0, (cardinality(columns) ^ cardinality(patterns))::int - 1) way
);
comment on function matches_all is 'A condition: for each of the patterns, one of the columns is like it.';
grant execute on function choosing_patterns, matches_all to vacancy_lookout;

-- As in migration 66, with these conditions.
create or replace function search_records(query text, kinds text[], with_contacts boolean, max_each integer)
returns table (kind text, record_id uuid, place bigint)
language plpgsql stable security definer
set search_path = public, pg_temp
set enable_seqscan = off
set enable_indexscan = off
as $$
declare
  phrase text := btrim(regexp_replace(search_key(query), '\s+', ' ', 'g'));
  literal text := regexp_replace(phrase, '([\\%_])', '\\\1', 'g');
  begins text := ' ' || literal || '%';
  begins_word text := '% ' || literal || '%';
  patterns text[] := array(select '%' || word || '%' from unnest(string_to_array(literal, ' ')) word);
  runs text[] := array(
    select run[1]
    from regexp_matches(phrase, '[[:alnum:]]+', 'g') run
    order by char_length(run[1]) desc
  );
  found_text text := 'search_text' || case when with_contacts then ' || contact_text' else '' end;
  found_columns text[] := array['search_text'] || case when with_contacts then array['contact_text'] end;
  candidate_ids uuid[] := '{}';
  found_ids uuid[];
  driver text;
  texts text[];
  kind_of text;
begin
  if cardinality(runs) = 0 then
    return;
  end if;

  if kinds && array['booking', 'guest'] then
    texts := sample_texts('booking', found_text);
    driver := rarest_pattern(texts, runs);
    if is_frequent(texts, patterns) then
      candidate_ids := array(select bookings_near_today(patterns, with_contacts));
      driver := case when not begin_words_frequently(texts, runs) then begins_word end;
    end if;
    if driver is not null then
      execute format(
        'select array(select id from %s where org_id = current_org() and %s and %s like all ($1) limit 5000)',
        searched_records('booking'),
        matches_all(found_columns, choosing_patterns(texts, driver, patterns)),
        found_text
      ) into found_ids using patterns;
      candidate_ids := candidate_ids || found_ids;
    end if;
    return query
    with matching as materialized (
      select
        booking.id,
        booking.arrival,
        case
          when booking.search_text like begins or with_contacts and booking.contact_text like begins then 0
          when booking.search_text like begins_word then 1
          else 2
        end as rank,
        split_part(booking.search_text, E'\n', 1)
          || case when with_contacts then booking.contact_text else '' end as guest_text,
        coalesce(
          booking.guest_email_key,
          booking.guest_phone_key,
          search_key(booking.guest_name)
        ) as guest_key
      from bookings booking
      where booking.org_id = current_org()
        and booking.id = any (candidate_ids)
    ),
    guest as (
      select distinct on (matching.guest_key) matching.id, matching.rank, matching.arrival
      from matching
      where matching.guest_text like all (patterns)
      order by matching.guest_key, matching.arrival desc, matching.id
    )
    (
      select
        'booking',
        matching.id,
        row_number() over (order by matching.rank, abs(matching.arrival - current_date), matching.id)
      from matching
      where 'booking' = any (kinds)
      order by 3
      limit max_each
    )
    union all
    (
      select 'guest', guest.id, row_number() over (order by guest.rank, guest.arrival desc, guest.id)
      from guest
      where 'guest' = any (kinds)
      order by 3
      limit max_each
    );
  end if;

  foreach kind_of in array array['unit', 'space', 'listing'] loop
    continue when kind_of <> all (kinds);
    candidate_ids := '{}';
    texts := sample_texts(kind_of, 'search_text');
    driver := rarest_pattern(texts, runs);
    if is_frequent(texts, patterns) then
      candidate_ids := array(select first_records(kind_of, begins, patterns, max_each));
      driver := case when not begin_words_frequently(texts, runs) then begins_word end;
      if is_frequent(texts, array[begins_word]) then
        candidate_ids := candidate_ids || array(select first_records(kind_of, begins, array[begins_word], max_each));
      end if;
    end if;
    return query execute format(
      $query$
        select
          $1,
          record.id,
          row_number() over (
            order by
              record.search_text not like $2,
              record.search_text not like $3,
              record.name,
              record.id
          )
        from (
          select * from %1$s where org_id = current_org() and id = any ($4)
          %2$s
        ) record
        order by 3
        limit $5
      $query$,
      searched_records(kind_of),
      case
        when driver is not null then format(
          'union select * from %s where org_id = current_org() and %s',
          searched_records(kind_of),
          matches_all(array['search_text'], driver || array_remove(patterns, driver))
        )
      end
    ) using kind_of, begins, begins_word, candidate_ids, max_each;
  end loop;
end $$;

-- As in migration 66, for more records.
create or replace function records_named(kind text, part text)
returns uuid[]
language plpgsql stable security definer
set search_path = public, pg_temp
set enable_seqscan = off
set enable_indexscan = off
as $$
declare
  most constant integer := 3000;
  name_pattern text := '%' || regexp_replace(part, '([\\%_])', '\\\1', 'g') || '%';
  text_pattern text := '%' || regexp_replace(search_key(part), '([\\%_])', '\\\1', 'g') || '%';
  found_ids uuid[];
begin
  if search_key(part) !~ '[[:alnum:]]{3}' or is_frequent(sample_texts(kind, 'lower(name)'), array[lower(name_pattern)]) then
    return null;
  end if;

  execute format(
    'select array(select id from %s where org_id = current_org() and search_text like $1 and name ilike $2 limit $3)',
    searched_records(kind)
  ) into found_ids using text_pattern, name_pattern, most + 1;
  return case when cardinality(found_ids) <= most then found_ids end;
end $$;
