import { sql, type Fragment } from '#db/sql.ts'
import { first, type Scope } from '#db/scope.ts'
import type { SearchKind } from './search.ts'

interface SearchRequest {
  readonly query: string
  readonly kinds: readonly SearchKind[]
  /** Whether guests are searched and shown with their addresses and phone numbers. */
  readonly withContacts: boolean
  readonly limit: number
}

/** The records that contain every word of the query, and those whose id begins with it. One round trip. */
export async function searchRecords(scope: Scope, request: SearchRequest): Promise<object> {
  const { query, kinds, withContacts, limit } = request
  const part = (kind: SearchKind, records: Fragment) => (kinds.includes(kind) ? sql`(${records})` : sql`null`)
  const row = await first(
    scope,
    sql<{ found: object }>`
      with hit as materialized (
        select ranked.*
        from (
          select
            named.kind,
            named.record_id,
            row_number() over (partition by named.kind order by min(named.place), named.record_id) as place
          from (
            ${textMatches(request)}
            ${idMatches(scope, query, kinds)}
          ) named
          group by named.kind, named.record_id
        ) ranked
        where ranked.place <= ${limit}
      )
      select json_build_object(
        'units', ${part('unit', units(scope))},
        'spaces', ${part('space', spaces(scope))},
        'bookings', ${part('booking', bookings(scope, withContacts))},
        'guests', ${part('guest', guests(scope, withContacts))},
        'listings', ${part('listing', listings(scope))}
      ) as found`,
  )
  return row!.found
}

/** Phone numbers are stored as their digits. Digits in groups may be one, a postal code or an external id. */
function textMatches({ query, kinds, withContacts, limit }: SearchRequest): Fragment {
  const matches = (text: string, among: readonly SearchKind[]) => sql`
    select found.kind, found.record_id, found.place
    from search_records(${text}, ${among}::text[], ${withContacts}, ${limit}) found`
  const digits = query.replace(/\D/g, '')
  const isGrouped = digits.length >= 3 && digits !== query && /^[\d\s()+./-]+$/.test(query)
  if (!isGrouped) return matches(query, kinds)
  const withNumbers = kinds.filter((kind) => kind === 'booking' || kind === 'guest')
  return sql`${matches(query, kinds)} union all ${matches(digits, withNumbers)}`
}

const tables = { unit: 'units', space: 'spaces', booking: 'bookings', listing: 'channel_listings' } as const

/** Records by the first eight or more characters of their id. */
function idMatches({ orgId }: Scope, query: string, kinds: readonly SearchKind[]): Fragment {
  const digits = query.trim().toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{8,32}$/.test(digits)) return sql``
  const [from, to] = [digits.padEnd(32, '0'), digits.padEnd(32, 'f')]
  const matches = Object.entries(tables)
    .filter(([kind]) => kinds.includes(kind as SearchKind))
    .map(
      ([kind, table]) => sql`
        union all
        select ${kind}::text, record.id, 0
        from ${sql.ref(table)} record
        where record.org_id = ${orgId}
          and record.id between ${from}::uuid and ${to}::uuid
          ${table === 'channel_listings' ? sql`` : sql`and record.deleted_at is null`}`,
    )
  return sql.join(matches, '')
}

const list = (record: Fragment) => sql`coalesce(json_agg(${record} order by hit.place), '[]')`

const units = ({ orgId }: Scope) => sql`
  select ${list(sql`json_build_object(
    'id', unit.id, 'name', unit.name, 'status', unit.status,
    'space_id', unit.space_id, 'space_name', space.name
  )`)}
  from hit
  join units unit
    on unit.org_id = ${orgId}
    and unit.id = hit.record_id
  join spaces space
    on space.org_id = unit.org_id
    and space.id = unit.space_id
  where hit.kind = 'unit'`

const spaces = ({ orgId }: Scope) => sql`
  select ${list(sql`json_build_object(
    'id', space.id, 'name', space.name, 'city', space.city, 'status', space.status
  )`)}
  from hit
  join spaces space
    on space.org_id = ${orgId}
    and space.id = hit.record_id
  where hit.kind = 'space'`

const bookings = ({ orgId }: Scope, withContacts: boolean) => sql`
  select ${list(sql`json_build_object(
    'id', booking.id, 'guest_name', booking.guest_name,
    'guest_email', case when ${withContacts}::boolean then booking.guest_email end,
    'arrival', booking.arrival, 'departure', booking.departure, 'status', booking.status,
    'source', booking.source, 'external_id', booking.external_id, 'unit_id', booking.unit_id,
    'unit_name', unit.name, 'space_id', unit.space_id
  )`)}
  from hit
  join bookings booking
    on booking.org_id = ${orgId}
    and booking.id = hit.record_id
  join units unit
    on unit.org_id = booking.org_id
    and unit.id = booking.unit_id
  where hit.kind = 'booking'`

const guests = ({ orgId }: Scope, withContacts: boolean) => sql`
  select ${list(sql`json_build_object(
    'name', booking.guest_name,
    'email', case when ${withContacts}::boolean then booking.guest_email end,
    'phone', case when ${withContacts}::boolean then booking.guest_phone end,
    'bookings', (
      select greatest(count(*), 1)
      from bookings other
      where other.org_id = booking.org_id
        and other.deleted_at is null
        and (
          other.guest_email_key = booking.guest_email_key
          or booking.guest_email_key is null
          and other.guest_phone_key = booking.guest_phone_key
        )
    ),
    'last_booking_id', booking.id, 'last_arrival', booking.arrival
  )`)}
  from hit
  join bookings booking
    on booking.org_id = ${orgId}
    and booking.id = hit.record_id
  where hit.kind = 'guest'`

const listings = ({ orgId }: Scope) => sql`
  select ${list(sql`json_build_object(
    'id', listing.id, 'external_id', listing.external_id, 'status', listing.status,
    'unit_id', listing.unit_id, 'unit_name', unit.name,
    'channel_target_id', listing.channel_target_id, 'channel_target_name', target.name
  )`)}
  from hit
  join channel_listings listing
    on listing.org_id = ${orgId}
    and listing.id = hit.record_id
  join units unit
    on unit.org_id = listing.org_id
    and unit.id = listing.unit_id
  join channel_targets target
    on target.org_id = listing.org_id
    and target.id = listing.channel_target_id
  where hit.kind = 'listing'`
