import { sql } from 'kysely'
import { first, type Scope } from '#db/scope.ts'
import type { Claim } from './claim-queries.ts'
import { nightsAhead } from './claim-queries.ts'
import type { Difference } from './differences.ts'

/** A listing as a push would find it, without taking it; and what the last look at the PMS found. */
export interface Look extends Claim {
  channel_target_id: string
  checked_at: string | null
  found: Difference[] | null
}

/** Looks at a listing over some nights: from today where no first one is given, and as far as the PMS is kept. */
export const lookAtListing = (scope: Scope, listingId: string, from: string | null, to: string | null) =>
  first(
    scope,
    sql<Look>`select l.id as listing_id, l.status as listing_status, gen_random_uuid() as claim, l.account_id, l.unit_id, l.external_id, l.rate_plans,
        s.attempts, s.wanted_version, s.mode, s.trigger, s.looking or s.look_wanted as looking, s.requested_by, s.traceparent, s.accepted::text, s.in_doubt,
        s.calendar_doubt, s.refused_groups, case when n.first_night <= n.last_night then n.first_night end as first_night,
        case when n.first_night <= n.last_night then n.last_night end as last_night,
        now() as started_at, s.channel_target_id, c.checked_at, c.differences as found
      from channel_listings l
      join listing_syncs s on s.org_id = l.org_id and s.channel_listing_id = l.id
      join units u on u.org_id = l.org_id and u.id = l.unit_id
      join spaces p on p.org_id = u.org_id and p.id = u.space_id
      left join listing_checks c on c.org_id = l.org_id and c.channel_listing_id = l.id,
      lateral (select (now() at time zone p.timezone)::date as today) d,
      lateral (select greatest(d.today, ${from}::date) as first_night,
        least(d.today + ${nightsAhead - 1}::int, ${to}::date) as last_night) n
      where l.org_id = ${scope.orgId} and l.id = ${listingId}`,
  )
