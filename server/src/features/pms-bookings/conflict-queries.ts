import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import type { PmsBooking } from '#outside/pms/pms-booking.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'

const filterColumns = [
  'org_id',
  'account_id',
  'channel_target_id',
  'calendar_feed_id',
  'unit_id',
  'status',
  'reason',
]

export const listConflicts = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select c.id, c.json, ${sortColumn('c', page)} as sort_value from booking_conflicts c
      where c.org_id = ${scope.orgId}${filters('c', filter, filterColumns)}${pageClause('c', page)}`,
  )

export interface StoredConflict extends Stored {
  readonly id: string
  readonly channel_target_id: string | null
  readonly calendar_feed_id: string | null
  readonly unit_id: string | null
  readonly external_id: string
  readonly status: string
  readonly booking: PmsBooking
}

export async function findConflict(scope: Scope, id: string): Promise<StoredConflict> {
  const found = await first(
    scope,
    sql<StoredConflict>`select id, json, version, channel_target_id, calendar_feed_id, unit_id, external_id, status, booking
      from booking_conflicts where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('booking conflict', id)
  return found
}

/** @throws Conflict unless it is open */
export function refuseClosed({ status }: Pick<StoredConflict, 'status'>): void {
  if (status === 'open') return
  throw new Conflict('invalid-status-transition', `The conflict is ${status}: there is nothing left to do.`)
}

export interface KeptConflict {
  readonly external_id: string
  readonly listing: string | null
  readonly plan: string | null
  readonly unit_id: string | null
  readonly booking_id: string | null
  readonly reason: string
  readonly message: string
  readonly hint: string
  readonly conflicts: readonly object[]
}

/** One that is open already says the latest. Answers with those that were not, by their external ids. */
export async function keepConflicts(
  transaction: Transaction,
  target: Pick<TargetConnection, 'id' | 'account_id'>,
  booking: PmsBooking,
  conflicts: readonly KeptConflict[],
): Promise<string[]> {
  if (conflicts.length === 0) return []
  const written = await rows(
    transaction,
    sql<{
      external_id: string
      is_new: boolean
    }>`insert into booking_conflicts as c (org_id, account_id, channel_target_id, pms_booking_id, booking, external_id,
        listing, plan, unit_id, booking_id, reason, message, hint, conflicts)
      select ${transaction.orgId}, ${target.account_id}, ${target.id}, ${booking.id}, ${JSON.stringify(booking)}::jsonb,
        external_id, listing, plan, unit_id, booking_id, reason, left(message, 1000), hint, conflicts
      from jsonb_to_recordset(${JSON.stringify(conflicts)}::jsonb) as r (external_id text, listing text, plan text,
        unit_id uuid, booking_id uuid, reason text, message text, hint text, conflicts jsonb)
      order by external_id
      on conflict (org_id, channel_target_id, external_id) where status = 'open' do update set booking = excluded.booking,
        listing = excluded.listing, plan = excluded.plan, unit_id = excluded.unit_id, booking_id = excluded.booking_id,
        reason = excluded.reason, message = excluded.message, hint = excluded.hint, conflicts = excluded.conflicts,
        attempts = c.attempts + 1, tried_at = clock_timestamp(), updated_at = clock_timestamp(), version = c.version + 1
      returning external_id, xmax = 0 as is_new`,
  )
  return written.flatMap(({ external_id, is_new }) => (is_new ? [external_id] : []))
}

/** Closes those of a booking that are not among what is wrong now, or stand at another unit; tells their units. */
export async function resolveConflicts(
  transaction: Transaction,
  targetId: string,
  pmsBookingId: string,
  still: readonly KeptConflict[],
): Promise<(string | null)[]> {
  const closed = await rows(
    transaction,
    sql<{
      unit_id: string | null
    }>`update booking_conflicts c set status = 'resolved', closed_at = clock_timestamp(),
        closed_by = ${JSON.stringify(transaction.actor)}, updated_at = clock_timestamp(), version = version + 1,
        booking_id = coalesce(booking_id, (select b.id from bookings b where b.org_id = c.org_id
          and b.channel_target_id = c.channel_target_id and b.external_id = c.external_id and b.deleted_at is null))
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and pms_booking_id = ${pmsBookingId}
        and status = 'open' and not exists (select 1
          from jsonb_to_recordset(${JSON.stringify(still)}::jsonb) as r (external_id text, unit_id uuid)
          where r.external_id = c.external_id and r.unit_id is not distinct from c.unit_id)
      returning unit_id`,
  )
  return closed.map(({ unit_id }) => unit_id)
}

export async function dismissConflict(
  transaction: Transaction,
  id: string,
  reason: string,
): Promise<StoredConflict> {
  await first(
    transaction,
    sql`select 1 from booking_conflicts where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  refuseClosed(await findConflict(transaction, id))
  await rows(
    transaction,
    sql`update booking_conflicts set status = 'dismissed', dismissal_reason = ${reason}, closed_at = clock_timestamp(),
        closed_by = ${JSON.stringify(transaction.actor)}, updated_at = clock_timestamp(), version = version + 1
      where org_id = ${transaction.orgId} and id = ${id}`,
  )
  return await findConflict(transaction, id)
}

/** The lines of which a person has said, in this very state of the booking, that nothing is to be done. */
export async function dismissedOf(
  transaction: Transaction,
  targetId: string,
  booking: PmsBooking,
): Promise<string[]> {
  const found = await rows(
    transaction,
    sql<{ external_id: string }>`select external_id from booking_conflicts
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and pms_booking_id = ${booking.id}
        and status = 'dismissed' and booking = ${JSON.stringify(booking)}::jsonb`,
  )
  return found.map(({ external_id }) => external_id)
}

/** The units of a target that have an open conflict. */
export async function openUnits(transaction: Transaction, targetId: string): Promise<(string | null)[]> {
  const found = await rows(
    transaction,
    sql<{ unit_id: string | null }>`select distinct unit_id from booking_conflicts
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and status = 'open'`,
  )
  return found.map(({ unit_id }) => unit_id)
}
