-- For a text that many records contain, all of its entries in the trigram index were read before the best few were chosen:
-- 100 ms of 100,000 units. Now 400 records tell how frequent it is; ids are random, so those with the lowest ids are a
-- random sample. What one record in a hundred contains is found sooner by reading records one after the other.

-- Records that begin with the text come first. The first part is enough, and never too long for the index.
create index units_by_text_start on units (org_id, (left(search_text, 200) collate "C"))
  where deleted_at is null;
create index spaces_by_text_start on spaces (org_id, (left(search_text, 200) collate "C"))
  where deleted_at is null;
create index channel_listings_by_text_start on channel_listings (org_id, (left(search_text, 200) collate "C"));

create function searched_records(kind text)
returns text
language sql immutable
return case kind
  when 'unit' then '(select id, org_id, name, search_text from units where deleted_at is null) record'
  when 'space' then '(select id, org_id, name, search_text from spaces where deleted_at is null) record'
  when 'listing' then '(select id, org_id, external_id as name, search_text from channel_listings) record'
  when 'booking' then
    '(select id, org_id, guest_name as name, search_text, contact_text from bookings where deleted_at is null) record'
end;
comment on function searched_records is 'The columns that are searched, as text for `from`.';
grant execute on function searched_records to vacancy_lookout;

create function sample_texts(kind text, searched text)
returns text[]
language plpgsql stable
set search_path = public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  texts text[];
begin
  execute format(
    'select array(select %s from %s where org_id = current_org() order by org_id, id limit 400)',
    searched,
    searched_records(kind)
  ) into texts;
  return texts;
end $$;
comment on function sample_texts is 'What is searched, of 400 records of the organization.';
grant execute on function sample_texts to vacancy_lookout;

-- In a sample: one record in a hundred.
create function is_frequent(texts text[], patterns text[])
returns boolean
language sql immutable
return (select count(*) >= 4 from unnest(texts) text where text like all (patterns));

-- To trigrams every word begins alike, after a space or a hyphen, and they do not know the order of words.
create function begin_words_frequently(texts text[], runs text[])
returns boolean
language sql immutable
return (
  select count(*) >= 4
  from unnest(texts) text
  where text ~ all (array(select '\m' || run from unnest(runs) run))
);

-- The longest of the rarest runs of letters and digits chooses the rows by its trigrams; of less than three characters it has
-- to begin a word.
create function rarest_pattern(texts text[], runs text[])
returns text
language sql immutable
return (
  select case when char_length(run) >= 3 then '%' else '% ' end || run || '%'
  from unnest(runs) run
  order by
    char_length(run) < 3,
    (select count(*) from unnest(texts) text where text like '%' || run || '%'),
    char_length(run) desc
  limit 1
);
grant execute on function is_frequent, begin_words_frequently, rarest_pattern to vacancy_lookout;

create function first_records(kind text, beginning text, patterns text[], max_records integer)
returns setof uuid
language plpgsql stable
set search_path = public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query execute format(
    $query$
      (
        select id
        from %1$s
        where org_id = current_org() and left(search_text, 200) collate "C" like $1 and search_text like all ($2)
        order by org_id, left(search_text, 200) collate "C"
        limit $3
      )
      union
      (
        select id
        from %1$s
        where org_id = current_org() and search_text like all ($2)
        order by org_id, id
        limit $3
      )
    $query$,
    searched_records(kind)
  ) using beginning, patterns, max_records;
end $$;
comment on function first_records is
  'Records that match every pattern: the first of those with the beginning, and the first of all by their ids.';
grant execute on function first_records to vacancy_lookout;

create function bookings_near_today(patterns text[], with_contacts boolean)
returns setof uuid
language sql stable
set search_path = public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  select id
  from (
    (
      select id, search_text, contact_text
      from bookings
      where org_id = current_org() and deleted_at is null and arrival >= current_date
      order by org_id, arrival
      limit 1000
    )
    union all
    (
      select id, search_text, contact_text
      from bookings
      where org_id = current_org() and deleted_at is null and arrival < current_date
      order by org_id desc, arrival desc
      limit 1000
    )
  ) near
  where search_text || case when with_contacts then contact_text else '' end like all (patterns)
$$;
comment on function bookings_near_today is
  'The matching ones among the 1,000 that arrive next and the 1,000 that arrived last.';
grant execute on function bookings_near_today to vacancy_lookout;
