-- One search over units, spaces, bookings, guests and listings.

-- Both are trusted extensions: any role that may create objects in the database may create them.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Text as the search compares it: in lower case, without accents.
create function search_key(value text)
returns text
language sql immutable parallel safe
return lower(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f]', '', 'g'));
grant execute on function search_key to vacancy_app, vacancy_lookout;

alter table spaces
  add search_text text not null generated always as (
    ' ' || search_key(
      name || ' ' || coalesce(address, '') || ' ' || coalesce(zip, '') || ' ' || coalesce(city, '')
    )
  ) stored;
alter table units
  add search_text text not null generated always as (' ' || search_key(name)) stored;
alter table channel_listings
  add search_text text generated always as (' ' || search_key(external_id)) stored;
alter table bookings
  add search_text text not null generated always as (
    ' ' || search_key(guest_name) || E'\n ' || search_key(coalesce(external_id, ''))
  ) stored,
  add contact_text text generated always as (
    ' ' || search_key(
      coalesce(guest_email, '') || ' ' || regexp_replace(coalesce(guest_phone, ''), '[^0-9]', '', 'g')
    )
  ) stored;
comment on column spaces.search_text is
  'What the search finds the record by. It begins with a space, so that every word follows one.';
comment on column units.search_text is 'Like that of spaces.';
comment on column channel_listings.search_text is 'Like that of spaces.';
comment on column bookings.search_text is 'Like that of spaces. The first line is about the guest.';
comment on column bookings.contact_text is
  'The same for how the guest is reached. Apart, because not everybody who reads bookings may read it.';

create index spaces_by_text on spaces using gin (org_id, search_text gin_trgm_ops)
  where deleted_at is null;
create index units_by_text on units using gin (org_id, search_text gin_trgm_ops)
  where deleted_at is null;
create index channel_listings_by_text on channel_listings using gin (org_id, search_text gin_trgm_ops);
create index bookings_by_text
  on bookings using gin (org_id, search_text gin_trgm_ops, contact_text gin_trgm_ops)
  where deleted_at is null;

create policy lookout on spaces for select to vacancy_lookout
  using (true);
create policy lookout on units for select to vacancy_lookout
  using (true);
grant select on spaces, units to vacancy_lookout;

-- The ids of what contains every word of a query, the best first, of the organization that the transaction
-- acts for. A guest is named by the latest of the bookings that were found.
--
-- Under the policy of vacancy_app no index is used for `like`, because it could leak what it compares. So the
-- function runs as vacancy_lookout and names the organization itself. The longest run of letters and digits
-- chooses the rows by trigrams; of less than three characters it has to begin a word. Without the settings
-- the planner may read all rows. A name takes 3 ms among 100,000 bookings, one that 6,000 of them have 60.
create function search_records(query text, kinds text[], with_contacts boolean, max_each integer)
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
  longest text := (
    select run[1]
    from regexp_matches(phrase, '[[:alnum:]]+', 'g') run
    order by char_length(run[1]) desc
    limit 1
  );
  driver text := case when char_length(longest) >= 3 then '%' else '% ' end || longest || '%';
  contact_driver text := case when with_contacts then driver end;
begin
  if longest is null then
    return;
  end if;

  if kinds && array['booking', 'guest'] then
    return query
    with candidate as materialized (
      select
        booking.id,
        booking.arrival,
        booking.search_text,
        split_part(booking.search_text, E'\n', 1)
          || case when with_contacts then booking.contact_text else '' end as guest_text,
        case when with_contacts then booking.contact_text else '' end as contact_text,
        coalesce(
          booking.guest_email_key,
          booking.guest_phone_key,
          search_key(booking.guest_name)
        ) as guest_key
      from bookings booking
      where booking.org_id = current_org()
        and booking.deleted_at is null
        and (booking.search_text like driver or booking.contact_text like contact_driver)
      limit 5000
    ),
    matching as (
      select
        candidate.*,
        case
          when candidate.search_text like begins or candidate.contact_text like begins then 0
          when candidate.search_text like begins_word then 1
          else 2
        end as rank
      from candidate
      where candidate.search_text || candidate.contact_text like all (patterns)
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

  if 'unit' = any (kinds) then
    return query
    select
      'unit',
      unit.id,
      row_number() over (
        order by
          unit.search_text not like begins,
          unit.search_text not like begins_word,
          unit.name,
          unit.id
      )
    from units unit
    where unit.org_id = current_org()
      and unit.deleted_at is null
      and unit.search_text like driver
      and unit.search_text like all (patterns)
    order by 3
    limit max_each;
  end if;

  if 'space' = any (kinds) then
    return query
    select
      'space',
      space.id,
      row_number() over (
        order by
          space.search_text not like begins,
          space.search_text not like begins_word,
          space.name,
          space.id
      )
    from spaces space
    where space.org_id = current_org()
      and space.deleted_at is null
      and space.search_text like driver
      and space.search_text like all (patterns)
    order by 3
    limit max_each;
  end if;

  if 'listing' = any (kinds) then
    return query
    select
      'listing',
      listing.id,
      row_number() over (order by listing.search_text not like begins, listing.external_id, listing.id)
    from channel_listings listing
    where listing.org_id = current_org()
      and listing.search_text like driver
      and listing.search_text like all (patterns)
    order by 3
    limit max_each;
  end if;
end $$;
alter function search_records owner to vacancy_lookout;
grant execute on function search_records to vacancy_app;
