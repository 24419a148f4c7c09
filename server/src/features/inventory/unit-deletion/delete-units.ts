import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import { Conflict } from '#errors.ts'
import { withMembers } from '#db/records.ts'
import { listPlansOfUnits } from '#features/inventory/rate-plans/queries.ts'
import { recordPlanEvents } from '#features/inventory/rate-plans/record-plan-events.ts'
import { alertKinds } from '#features/messaging/alerts/alert.ts'
import { resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'

/** The number of ids that an error lists. */
const maxListedIds = 10

interface Usage {
  readonly listings: string[]
  readonly bookings: string[]
  readonly listing_count: number
  readonly booking_count: number
}

/**
 * Deletes units. The caller has locked them, so that they are not booked or linked meanwhile. Past bookings and quotes keep
 * their references to the units and rate plans. @throws Conflict that lists linked listings and current or future bookings
 */
export async function deleteUnits(
  transaction: Transaction,
  unitIds: readonly string[],
  thing: 'unit' | 'space',
): Promise<void> {
  if (unitIds.length === 0) return
  await assertNotInUse(transaction, unitIds, thing)
  const [units, plans] = await Promise.all([
    findUnits(transaction, unitIds),
    listPlansOfUnits(transaction, unitIds),
  ])
  await resolveAlerts(transaction, alertKinds, { unitIds })
  await markUnitsDeleted(transaction, unitIds)
  await recordEvents(
    transaction,
    units.map((unit) => ({
      type: 'unit.deleted' as const,
      accountId: unit.account_id,
      subjectId: unit.id,
      data: { unit },
    })),
  )
  await recordPlanEvents(transaction, 'rate_plan.deleted', plans)
}

/** The units as the API returns them, each with its space. */
async function findUnits(transaction: Transaction, unitIds: readonly string[]) {
  const found = await rows(
    transaction,
    sql<{ json: string; space: string }>`
      select unit.json, space.json as space
      from units unit
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      where unit.org_id = ${transaction.orgId} and unit.id = any(${unitIds}::uuid[])
      order by unit.id`,
  )
  return found.map(
    ({ json, space }) => JSON.parse(withMembers(json, { space })) as { id: string; account_id: string },
  )
}

async function assertNotInUse(
  transaction: Transaction,
  unitIds: readonly string[],
  thing: 'unit' | 'space',
): Promise<void> {
  const { orgId } = transaction
  const found = await first(
    transaction,
    sql<Usage>`
      with listing as (
        select id, created_at
        from channel_listings
        where org_id = ${orgId} and unit_id = any(${unitIds}::uuid[])),
      booking as (
        select booking.id, lower(booking.nights) as arrival
        from bookings booking
        join units unit on unit.org_id = booking.org_id and unit.id = booking.unit_id
        join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
        where booking.org_id = ${orgId}
          and booking.unit_id = any(${unitIds}::uuid[])
          and booking.deleted_at is null
          and takes_room(booking.status)
          and upper(booking.nights) >= (now() at time zone space.timezone)::date)
      select (select count(*)::int from listing) as listing_count,
        (select count(*)::int from booking) as booking_count,
        array(select id from listing order by created_at, id limit ${maxListedIds}) as listings,
        array(select id from booking order by arrival, id limit ${maxListedIds}) as bookings`,
  )
  const { listing_count, booking_count, listings, bookings } = found!
  if (listing_count + booking_count === 0) return
  const held = [
    listing_count > 0 && `${listing_count} ${listing_count === 1 ? 'listing' : 'listings'}`,
    booking_count > 0 && `${booking_count} current or future ${booking_count === 1 ? 'booking' : 'bookings'}`,
  ].filter((part) => part !== false)
  throw new Conflict(
    'resource-in-use',
    `The ${thing} still has ${held.join(' and ')}. Unlink the listings, cancel or move the bookings, or archive the ${thing} instead: it is no longer sold, and its bookings stay.`,
    { members: { held_by: { listings, bookings, listing_count, booking_count } } },
  )
}

/** Tables whose rows are deleted with their unit. */
const dependents = [
  'calendar_nights',
  'calendar_blocks',
  'sales_stops',
  'charges',
  'calendar_feeds',
  'media',
  'alerts',
  'free_stretches',
] as const

async function markUnitsDeleted(transaction: Transaction, unitIds: readonly string[]): Promise<void> {
  const { orgId } = transaction
  const ofUnits = sql`org_id = ${orgId} and unit_id = any(${unitIds}::uuid[])`
  await Promise.all([
    ...dependents.map((table) => rows(transaction, sql`delete from ${sql.ref(table)} where ${ofUnits}`)),
    rows(
      transaction,
      sql`
        update booking_conflicts
        set unit_id = null, version = version + 1, updated_at = clock_timestamp()
        where ${ofUnits}`,
    ),
    rows(
      transaction,
      sql`
        update units
        set status = 'archived', deleted_at = now(), version = version + 1, updated_at = now()
        where org_id = ${orgId} and id = any(${unitIds}::uuid[])`,
    ),
  ])
}
