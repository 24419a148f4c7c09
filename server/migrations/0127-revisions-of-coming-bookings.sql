-- A revision from what an earlier release has stored of it. The rate plan is the one that is linked to the room.
create function stored_revision(known pms_bookings)
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
    'id', known.external_id,
    'revision', known.revision,
    'revisedAt', known.revised_at,
    'status', case when bool_or(booking.status = 'pending') then 'pending' else 'confirmed' end,
    'currency', null,
    'lines', jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object('id', line.fields -> 'id')) || jsonb_build_object(
        'key', '',
        'listing', line.fields -> 'listing',
        'plan', plan.external_id,
        'arrival', line.fields -> 'arrival',
        'departure', line.fields -> 'departure',
        'rooms', coalesce(line.fields #> '{applied,rooms}', to_jsonb(booking.rooms), '1'),
        'guests', greatest((line.fields ->> 'guests')::int, 1),
        'totalCents', null
      )
      order by line.position
    )
  )
  from jsonb_array_elements(known.known_lines) with ordinality as line (fields, position)
  left join bookings booking
    on booking.org_id = known.org_id
    and booking.channel_target_id = known.channel_target_id
    and booking.external_id = line.fields ->> 'external_id'
    and booking.deleted_at is null
  left join lateral (
    select linked.plan ->> 'external_id' as external_id
    from channel_listings listing
    cross join jsonb_array_elements(listing.rate_plans) as linked (plan)
    where listing.org_id = known.org_id
      and listing.channel_target_id = known.channel_target_id
      and listing.external_id = line.fields ->> 'listing'
      and linked.plan ->> 'rate_plan_id' = booking.rate_plan_id::text
    limit 1
  ) plan on true
  where not (line.fields -> 'is_removed')::boolean
$$;
grant execute on function stored_revision to vacancy_app;

select run_in_each_organization($$
  update pms_bookings known
  set booking = stored_revision(known)
  where not known.cancelled
    and exists (
      select 1
      from bookings booking
      where booking.org_id = known.org_id
        and booking.channel_target_id = known.channel_target_id
        and booking.external_id = any(known.lines)
        and booking.departure >= current_date
    )
$$);
