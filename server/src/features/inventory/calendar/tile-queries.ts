import { sql, type Fragment } from '#db/sql.ts'
import { matchesAny, type PageRequest } from '#db/paging.ts'
import { rows, type Scope } from '#db/scope.ts'
import { termNames } from '#integrations/pms/pms.ts'
import { syncedNights } from './sync-ranges.ts'
import { chosenUnits, fewUnits, orderOf, type TileFilter } from './tile-filters.ts'
import type { TileRow } from './tile-row.ts'

/** An id of the filter that does not exist. */
interface UnknownNames {
  readonly unknown_unit: string | null
  readonly unknown_space: string | null
}

export interface TileRequest {
  readonly filter: TileFilter
  readonly from: string
  readonly to: string
  readonly page: PageRequest
  readonly showsGuests: boolean
  /** Reasons of blocks may contain guest data. */
  readonly showsReasons: boolean
}

/**
 * One statement for a page of units with the nights that differ from the defaults, bookings, conflicts and listings.
 * Nights without own values have no row; `tile.ts` adds them. The rows are read unit by unit, and nights plan by
 * plan: joined, 50 units took 770 ms instead of 50, because the planner cannot know how many they are. There is
 * always one row, because it reports unknown ids.
 */
export const readTile = (scope: Scope, request: TileRequest) => {
  const { filter, page, showsGuests, showsReasons } = request
  const [from, to] = [sql`${request.from}::date`, sql`${request.to}::date`]
  return rows(
    scope,
    sql<TileRow & UnknownNames>`
      with
        ${fewUnits(scope, filter)}
        chosen as materialized (
          ${chosenUnits(scope, filter, page)}
        ),
        taken as materialized (
          select taken.unit_id,
            json_build_object(
              'nights', json_agg(taken.number),
              'booked', json_agg(taken.booked),
              'blocked', json_object_agg(taken.number, taken.blocked) filter (where taken.blocked > 0),
              'reasons', json_object_agg(taken.number, (
                select string_agg(block.reason, '; ' order by block.source)
                from calendar_blocks block
                where block.org_id = ${scope.orgId}
                  and block.unit_id = taken.unit_id
                  and block.night = taken.night
              )) filter (where taken.blocked > 0 and ${showsReasons})
            ) as nights
          from (
            select *, night - date '1970-01-01' as number
            from nights_taken(${scope.orgId}, array(select id from chosen), ${from}, ${to})
            order by unit_id, night
          ) taken
          group by taken.unit_id
        )
      select chosen.id as unit_id, chosen.name, chosen.status, chosen.space_id, chosen.space_name, chosen.quantity,
        chosen.name_order, chosen.space_order,
        chosen.base_price_cents::float8, chosen.currency, chosen.is_open, chosen.stopped,
        taken.nights as taken,
        (${plansOf(scope, from, to)}) as plans,
        stays.bookings, stays.holds,
        (${conflictsOf(scope, request)})::text as conflicts,
        chosen.today as first_synced_night,
        chosen.today + ${syncedNights - 1}::int as last_synced_night,
        (${listingsOf(scope, filter)}) as listings,
        unknown.unknown_unit, unknown.unknown_space
      from (select ${unknownNames(scope, filter)}) unknown
      left join chosen on true
      left join taken on taken.unit_id = chosen.id
      left join lateral (${staysOf(scope, from, to, showsGuests)}) stays on true
      order by ${orderOf(page, 'chosen.id')}`,
  )
}

type Night = Fragment

const plansOf = ({ orgId }: Scope, from: Night, to: Night) => sql`
  select json_agg(
    json_build_object('id', plan.id, 'active', plan.status = 'active', 'decided', (
      select json_build_object(
        'nights', json_agg(decided.number),
        'price_cents', json_agg(decided.price_cents),
        ${sql.join(rareTerms.map((term) => sql`${sql.lit(term)}, ${valuesByNight(`decided.${term}`)}`))})
      from (
        select *, night - date '1970-01-01' as number
        from calendar_nights
        where org_id = ${orgId}
          and unit_id = chosen.id
          and rate_plan_id = plan.id
          and night between ${from} and ${to}
        order by night
      ) decided
      having count(*) > 0
    ))
    order by plan.is_default desc, plan.created_at, plan.id)
  from rate_plans plan
  where plan.org_id = ${orgId}
    and plan.unit_id = chosen.id
    and plan.status <> 'archived'`

/** Terms that few nights have; null is the default. */
const rareTerms = termNames.filter((term) => term !== 'price_cents')

const valuesByNight = (column: string) => sql`
  json_object_agg(decided.number, ${sql.ref(column)}) filter (where ${sql.ref(column)} is not null)`

/** The name of a guest, or its initial for callers who may not read bookings. */
const guestName = (name: Fragment, isShown: boolean) => (isShown ? name : sql`left(${name}, 1) || '…'`)

/** Stays that occupy rooms, and those that depart on the first day, which are shown as half a bar. */
const staysOf = ({ orgId }: Scope, from: Night, to: Night, showsGuests: boolean) => sql`
  select
    coalesce(json_agg(bar) filter (where not stay.is_hold), '[]')::text as bookings,
    coalesce(json_agg(hold) filter (where stay.is_hold), '[]')::text as holds
  from (
    select booking.*, ${guestName(sql`booking.guest_name`, showsGuests)} as shown_name,
      booking.status = 'pending' and exists (
        select 1
        from quotes quote
        where quote.org_id = booking.org_id
          and quote.hold_booking_id = booking.id
      ) as is_hold
    from bookings booking
    where booking.org_id = ${orgId}
      and booking.unit_id = chosen.id
      and booking.deleted_at is null
      and booking.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
      and booking.departure >= ${from}
      and booking.arrival <= ${to}
    order by booking.arrival, booking.id
  ) stay
  cross join lateral (
    select stay.id, stay.status, stay.shown_name as guest_name, stay.arrival, stay.departure, stay.rooms, stay.source,
      stay.channel_target_id
  ) bar
  cross join lateral (
    select stay.id as booking_id, stay.quote_id, stay.shown_name as guest_name, stay.arrival, stay.departure,
      stay.rooms, iso(stay.hold_expires_at) as expires_at
  ) hold`

/** The dates of the line that does not fit; for an imported calendar those of the reservation. */
const conflictsOf = ({ orgId }: Scope, { from, to, showsGuests }: TileRequest) => sql`
  select coalesce(json_agg(
    json_build_object('id', conflict.id, 'reason', conflict.reason, 'booking_id', conflict.booking_id,
      'guest_name', ${guestName(sql`conflict.booking ->> 'guestName'`, showsGuests)},
      'arrival', dates.arrival, 'departure', dates.departure,
      'channel_target_id', conflict.channel_target_id, 'calendar_feed_id', conflict.calendar_feed_id)
    order by dates.arrival, conflict.id), '[]')
  from booking_conflicts conflict
  cross join lateral (
    select min(line ->> 'arrival') as arrival, max(line ->> 'departure') as departure
    from jsonb_array_elements(coalesce(conflict.booking -> 'lines', jsonb_build_array(conflict.booking))) line
    where line ->> 'listing' is not distinct from coalesce(conflict.listing, line ->> 'listing')
  ) dates
  where conflict.org_id = ${orgId}
    and conflict.unit_id = chosen.id
    and conflict.status = 'open'
    and dates.departure >= ${from}
    and dates.arrival <= ${to}`

const listingsOf = ({ orgId }: Scope, { channel_target_id }: TileFilter) => sql`
  select coalesce(json_agg(
    json_build_object('channel_listing_id', sync.channel_listing_id, 'channel_target_id', sync.channel_target_id,
      'status', sync.status, 'is_behind', sync.wanted_version > sync.synced_version,
      'is_whole', sync.mode = 'full' or sync.accepted is null,
      'behind_from', least(sync.changed_from, sync.sending_from),
      'behind_to', greatest(sync.changed_to, sync.sending_to),
      'is_unverified', sync.unverified_since is not null,
      'unverified_from', sync.check_from, 'unverified_to', sync.check_to,
      'error_code', sync.error_code, 'stale', sync.stale_since is not null,
      'paused', listing.status = 'paused')
    order by listing.created_at, listing.id), '[]')
  from listing_syncs sync
  join channel_listings listing
    on listing.org_id = sync.org_id
    and listing.id = sync.channel_listing_id
    and listing.unit_id = sync.unit_id
  where sync.org_id = ${orgId}
    and sync.unit_id = chosen.id
    ${channel_target_id ? sql`and ${matchesAny(sql`sync.channel_target_id`, channel_target_id)}` : sql``}`

const unknownNames = ({ orgId }: Scope, { unit_id, space_id }: TileFilter) => {
  const unknown = (table: 'units' | 'spaces', ids: readonly string[] | undefined) =>
    ids
      ? sql`(
          select named.id
          from unnest(${ids}::uuid[]) named (id)
          where not exists (
            select 1
            from ${sql.ref(table)} known
            where known.org_id = ${orgId}
              and known.id = named.id
              and known.deleted_at is null
          )
          limit 1
        )`
      : sql`null::uuid`
  return sql`${unknown('units', unit_id)} as unknown_unit, ${unknown('spaces', space_id)} as unknown_space`
}
