create or replace function booking_conflicts_to_retry()
returns table (org_id uuid, booking_conflict_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select conflict.org_id, conflict.id
  from booking_conflicts conflict
  where conflict.org_id not in (select move.org_id from organization_moves move)
    and conflict.status = 'open'
    and case conflict.reason
      when 'unlinked_room' then exists (
        select 1
        from channel_listings listing
        where listing.org_id = conflict.org_id
          and listing.channel_target_id = conflict.channel_target_id
          and listing.external_id = conflict.listing
      )
      when 'unlinked_plan' then exists (
        select 1
        from channel_listings listing
        where listing.org_id = conflict.org_id
          and listing.channel_target_id = conflict.channel_target_id
          and listing.external_id = conflict.listing
          and listing.rate_plans @> jsonb_build_array(jsonb_build_object('external_id', conflict.plan))
      )
      -- Whatever frees a room is to be pushed. A change that was not committed at the last try may bear an
      -- earlier time. A user may have moved the booking to a unit that no target sells, of which nothing is pushed.
      -- And the booking itself may have been moved or cancelled here.
      when 'no_room' then coalesce(
        (
          select max(sync.changed_at) > conflict.tried_at - interval '5 seconds'
          from listing_syncs sync
          where sync.org_id = conflict.org_id
            and sync.unit_id = conflict.unit_id
        ),
        conflict.tried_at < now() - interval '5 minutes'
          and exists (
            select 1
            from channel_listings listing
            where listing.org_id = conflict.org_id
              and listing.channel_target_id = conflict.channel_target_id
              and listing.external_id = conflict.listing
          )
      ) or exists (
        select 1
        from bookings booking
        where booking.org_id = conflict.org_id
          and booking.id = conflict.booking_id
          and booking.updated_at > conflict.tried_at - interval '5 seconds'
      )
      when 'not_processed' then conflict.tried_at < now() - interval '5 minutes'
      when 'imported_reservation' then conflict.tried_at < now() - interval '1 minute'
      else false
    end
  order by conflict.tried_at
  limit 200
$$;
