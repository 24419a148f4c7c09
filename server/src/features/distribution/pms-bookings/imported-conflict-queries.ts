import { sql, type NotNull } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { localToday } from '#features/inventory/units/queries.ts'
import { blocksOfConflicts } from './conflict-blocks.ts'
import { recordConflictEvents, recordOpenConflicts } from './record-conflict-events.ts'
import { stayId, type ImportedCalendar, type ImportedStay } from './imported-stay.ts'

/**
 * The coming nights that this calendar blocks although they are sold: more rooms are taken than the unit has, without those
 * of bookings that do not fit, which have a conflict of their own.
 */
export async function findOversoldNights(
  transaction: Transaction,
  { id, unit_id }: Pick<ImportedCalendar, 'id' | 'unit_id'>,
): Promise<string[]> {
  const { orgId } = transaction
  const nights = await rows(
    transaction,
    sql<{ night: NotNull<string> }>`
      select taken.night
      from units unit
      cross join nights_taken(${orgId}, array[unit.id], ${localToday(orgId, unit_id)}, date '2400-01-01') taken
      left join (${blocksOfConflicts(transaction, unit_id)}) waiting
        on waiting.night = taken.night
      where unit.org_id = ${orgId}
        and unit.id = ${unit_id}
        and taken.booked > 0
        and taken.booked + taken.blocked - coalesce(waiting.rooms, 0) > unit.quantity
        and exists (
          select 1
          from calendar_blocks block
          where block.org_id = ${orgId}
            and block.unit_id = unit.id
            and block.night = taken.night
            and block.source = ${id})
      order by taken.night`,
  )
  return nights.map(({ night }) => night)
}

export interface ImportedConflict {
  readonly stay: ImportedStay
  readonly message: string
  readonly hint: string
  readonly conflicts: readonly object[]
}

const maxConflicts = 100

/**
 * Replaces the open conflicts of a calendar. An open conflict is written only when it changes; a dismissed one stays
 * dismissed while the reservation keeps its days.
 */
export async function replaceImportedConflicts(
  transaction: Transaction,
  calendar: ImportedCalendar,
  conflicts: readonly ImportedConflict[],
): Promise<{ added: string[]; closedCount: number }> {
  const { orgId, actor } = transaction
  const wantedRows = conflicts.slice(0, maxConflicts).map(({ stay, ...rest }) => ({
    external_id: stayId(stay),
    booking: stay,
    ...rest,
  }))
  const wanted = sql`jsonb_to_recordset(${JSON.stringify(wantedRows)}::jsonb)
    as wanted (external_id text, booking jsonb, message text, hint text, conflicts jsonb)`
  const closed = await rows(
    transaction,
    sql<{ json: string }>`
      update booking_conflicts conflict
      set status = 'resolved',
        closed_at = clock_timestamp(),
        closed_by = ${JSON.stringify(actor)},
        updated_at = clock_timestamp(),
        version = version + 1
      where org_id = ${orgId}
        and calendar_feed_id = ${calendar.id}
        and status = 'open'
        and not exists (
          select 1
          from ${wanted}
          where wanted.external_id = conflict.external_id)
      returning json`,
  )
  await recordConflictEvents(transaction, 'conflict.resolved', closed)
  if (wantedRows.length === 0) return { added: [], closedCount: closed.length }
  const written = await rows(
    transaction,
    sql<{ id: string; external_id: string; json: string; is_new: boolean }>`
      insert into booking_conflicts as conflict (org_id, account_id, calendar_feed_id, pms_booking_id, external_id,
        unit_id, reason, booking, message, hint, conflicts)
      select ${orgId}, ${calendar.account_id}, ${calendar.id}, wanted.external_id, wanted.external_id,
        ${calendar.unit_id}, 'imported_reservation', wanted.booking, left(wanted.message, 1000), wanted.hint,
        wanted.conflicts
      from ${wanted}
      where not exists (
        select 1
        from booking_conflicts dismissed
        where dismissed.org_id = ${orgId}
          and dismissed.calendar_feed_id = ${calendar.id}
          and dismissed.external_id = wanted.external_id
          and dismissed.status = 'dismissed'
          and dismissed.booking = wanted.booking)
      order by wanted.external_id
      on conflict (org_id, calendar_feed_id, external_id) where status = 'open' and calendar_feed_id is not null
      do update set booking = excluded.booking,
        message = excluded.message,
        conflicts = excluded.conflicts,
        tried_at = clock_timestamp(),
        updated_at = clock_timestamp(),
        version = conflict.version + 1
      where (conflict.booking, conflict.conflicts) is distinct from (excluded.booking, excluded.conflicts)
      returning id, external_id, json, xmax = 0 as is_new`,
  )
  await recordOpenConflicts(transaction, written)
  const added = written.flatMap(({ external_id, is_new }) => (is_new ? [external_id] : []))
  return { added, closedCount: closed.length }
}

/** The reservations of the open conflicts of a calendar. */
export async function listOpenStays(transaction: Transaction, feedId: string): Promise<ImportedStay[]> {
  const conflicts = await rows(
    transaction,
    sql<{ booking: ImportedStay }>`
      select booking
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and calendar_feed_id = ${feedId}
        and status = 'open'`,
  )
  return conflicts.map(({ booking }) => booking)
}

/** Whether an imported calendar of the unit has an open conflict. */
export async function hasImportedConflict(transaction: Transaction, unitId: string): Promise<boolean> {
  const found = await rows(
    transaction,
    sql`
      select 1
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and unit_id = ${unitId}
        and calendar_feed_id is not null
        and status = 'open'
      limit 1`,
  )
  return found.length > 0
}
