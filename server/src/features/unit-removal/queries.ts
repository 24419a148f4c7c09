import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import { Conflict } from '#errors.ts'
import { nested } from '#http/replies.ts'
import { recordEvents } from '../events/record-events.ts'

/** How many ids a refusal names. */
const maxNamed = 10

interface Holders {
  readonly listings: string[]
  readonly bookings: string[]
  readonly listing_count: number
  readonly booking_count: number
}

/**
 * Removes units that are locked, so that nobody books or links them meanwhile. Past bookings and quotes keep naming them,
 * and their rate plans. @throws Conflict naming what holds them: listings, and bookings of today or later where they are
 */
export async function removeUnits(
  transaction: Transaction,
  unitIds: readonly string[],
  thing: 'unit' | 'space',
): Promise<void> {
  if (unitIds.length === 0) return
  await assertNothingHolds(transaction, unitIds, thing)
  const units = await findUnits(transaction, unitIds)
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
}

/** The units as they are shown, each with its space. */
async function findUnits(transaction: Transaction, unitIds: readonly string[]) {
  const found = await rows(
    transaction,
    sql<{ json: string; space: string }>`select u.json, s.json as space
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where u.org_id = ${transaction.orgId} and u.id = any(${unitIds}::uuid[]) order by u.id`,
  )
  return found.map(
    ({ json, space }) => JSON.parse(nested(json, { space })) as { id: string; account_id: string },
  )
}

async function assertNothingHolds(
  transaction: Transaction,
  unitIds: readonly string[],
  thing: 'unit' | 'space',
): Promise<void> {
  const { orgId } = transaction
  const found = await first(
    transaction,
    sql<Holders>`
      with listing as (
        select id, created_at from channel_listings where org_id = ${orgId} and unit_id = any(${unitIds}::uuid[])),
      booking as (
        select b.id, lower(b.nights) as arrival from bookings b
        join units u on u.org_id = b.org_id and u.id = b.unit_id
        join spaces s on s.org_id = u.org_id and s.id = u.space_id
        where b.org_id = ${orgId} and b.unit_id = any(${unitIds}::uuid[]) and b.deleted_at is null
          and b.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
          and upper(b.nights) >= (now() at time zone s.timezone)::date)
      select (select count(*)::int from listing) as listing_count, (select count(*)::int from booking) as booking_count,
        array(select id from listing order by created_at, id limit ${maxNamed}) as listings,
        array(select id from booking order by arrival, id limit ${maxNamed}) as bookings`,
  )
  const { listing_count, booking_count, listings, bookings } = found!
  if (listing_count + booking_count === 0) return
  const held = [
    listing_count > 0 && `${listing_count} ${listing_count === 1 ? 'listing' : 'listings'}`,
    booking_count > 0 && `${booking_count} current or future ${booking_count === 1 ? 'booking' : 'bookings'}`,
  ].filter((part) => part !== false)
  throw new Conflict(
    'resource-in-use',
    `The ${thing} still has ${held.join(' and ')}. Unlink the listings, cancel or move the bookings, or archive the ${thing} instead: it is sold no more, and its bookings stay.`,
    { members: { held_by: { listings, bookings, listing_count, booking_count } } },
  )
}

/** What belongs to a unit and means nothing without it. */
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
    ...dependents.map((table) => rows(transaction, sql`delete from ${sql.table(table)} where ${ofUnits}`)),
    rows(transaction, sql`update booking_conflicts set unit_id = null where ${ofUnits}`),
    rows(
      transaction,
      sql`update units set status = 'archived', deleted_at = now(), version = version + 1, updated_at = now()
        where org_id = ${orgId} and id = any(${unitIds}::uuid[])`,
    ),
  ])
}
