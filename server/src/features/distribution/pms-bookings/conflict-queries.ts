import { sql } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { removeBlocks } from '#features/inventory/calendar/blocks-of-sources.ts'
import { recordConflictEvents, recordOpenConflicts } from './record-conflict-events.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'channel_target_id', 'calendar_feed_id', 'unit_id', 'status', 'reason'],
  findable: ['calendar_feed_id', 'unit_id', 'channel_target_id'],
}
/** Closed conflicts are kept for months, so few of all are open. Their index has this condition. */
const openColumns = {
  ...listColumns,
  findable: ['status', ...listColumns.findable],
  conditions: { status: sql`conflict.status = 'open'` },
}

export const listConflicts = (scope: Scope, filter: { status?: readonly string[] }, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'conflict',
      filter,
      filter.status?.every((status) => status === 'open') ? openColumns : listColumns,
      page,
      (where) => sql<ListedRecord & ConflictNames>`
        select conflict.id, conflict.json, ${sortColumn('conflict', page)} as sort_value, ${nameColumns}
        from booking_conflicts conflict
        ${namedRecords}
        where conflict.org_id = ${scope.orgId}${where}`,
    ),
  )

/** What the records of a conflict are called, as JSON. */
export interface ConflictNames {
  readonly unit: string | null
  readonly channel_target: string | null
  readonly calendar_feed: string | null
}

const nameColumns = sql`
  case when unit.id is not null then json_build_object(
    'id', unit.id, 'name', unit.name, 'space_id', space.id, 'space_name', space.name, 'timezone', space.timezone
  )::text end as unit,
  case when target.id is not null then json_build_object('id', target.id, 'name', target.name)::text end
    as channel_target,
  case when feed.id is not null then json_build_object('id', feed.id, 'name', feed.name)::text end
    as calendar_feed`

const namedRecords = sql`
  left join units unit
    on unit.org_id = conflict.org_id
    and unit.id = conflict.unit_id
  left join spaces space
    on space.org_id = unit.org_id
    and space.id = unit.space_id
  left join channel_targets target
    on target.org_id = conflict.org_id
    and target.id = conflict.channel_target_id
  left join calendar_feeds feed
    on feed.org_id = conflict.org_id
    and feed.id = conflict.calendar_feed_id`

export interface StoredConflict extends StoredRecord, ConflictNames {
  readonly id: string
  readonly channel_target_id: string | null
  readonly calendar_feed_id: string | null
  readonly unit_id: string | null
  readonly external_id: string
  readonly status: string
  readonly updated_at: string
  readonly booking: PmsBooking
}

export async function findConflict(scope: Scope, id: string): Promise<StoredConflict> {
  const conflict = await first(
    scope,
    sql<StoredConflict>`
      select conflict.id, conflict.json, conflict.version, conflict.channel_target_id, conflict.calendar_feed_id,
        conflict.unit_id, conflict.external_id, conflict.status, conflict.updated_at, conflict.booking, ${nameColumns}
      from booking_conflicts conflict
      ${namedRecords}
      where conflict.org_id = ${scope.orgId}
        and conflict.id = ${id}`,
  )
  if (!conflict) throw new NotFound('booking conflict', id)
  return conflict
}

/** Whether the booking of a conflict, or this one of its rooms, still cannot be applied. */
export async function hasOpenConflict(
  transaction: Transaction,
  { channel_target_id, external_id }: Pick<StoredConflict, 'channel_target_id' | 'external_id'>,
): Promise<boolean> {
  const open = await first(
    transaction,
    sql`
      select 1
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and channel_target_id = ${channel_target_id}
        and external_id = ${external_id}
        and status = 'open'`,
  )
  return open !== undefined
}

export interface NewConflict {
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

/** Creates conflicts, or updates those that are open; the same again is no change. Returns the external ids of the new ones. */
export async function saveConflicts(
  transaction: Transaction,
  target: Pick<TargetConnection, 'id' | 'account_id'>,
  booking: PmsBooking,
  conflicts: readonly NewConflict[],
): Promise<string[]> {
  if (conflicts.length === 0) return []
  const written = await rows(
    transaction,
    sql<{ id: string; external_id: string; json: string; is_new: boolean }>`
      insert into booking_conflicts as conflict (org_id, account_id, channel_target_id, pms_booking_id, booking,
        external_id, listing, plan, unit_id, booking_id, reason, message, hint, conflicts)
      select ${transaction.orgId}, ${target.account_id}, ${target.id}, ${booking.id}, ${JSON.stringify(booking)}::jsonb,
        external_id, listing, plan, unit_id, booking_id, reason, left(message, 1000), hint, conflicts
      from jsonb_to_recordset(${JSON.stringify(conflicts)}::jsonb)
        as wanted (external_id text, listing text, plan text, unit_id uuid, booking_id uuid, reason text, message text,
          hint text, conflicts jsonb)
      order by external_id
      on conflict (org_id, channel_target_id, external_id) where status = 'open'
      do update set booking = excluded.booking,
        listing = excluded.listing,
        plan = excluded.plan,
        unit_id = excluded.unit_id,
        booking_id = excluded.booking_id,
        reason = excluded.reason,
        message = excluded.message,
        hint = excluded.hint,
        conflicts = excluded.conflicts,
        attempts = conflict.attempts + 1,
        tried_at = clock_timestamp(),
        updated_at = case
          when (conflict.booking, conflict.unit_id, conflict.booking_id, conflict.message, conflict.conflicts)
            is distinct from (excluded.booking, excluded.unit_id, excluded.booking_id, excluded.message, excluded.conflicts)
          then clock_timestamp() else conflict.updated_at end,
        version = conflict.version + 1
      returning id, external_id, json, xmax = 0 as is_new`,
  )
  await recordOpenConflicts(transaction, written)
  return written.flatMap(({ external_id, is_new }) => (is_new ? [external_id] : []))
}

/**
 * Resolves the open conflicts of a booking, or one of them, that are not in `remaining`, or that moved to another unit.
 * Returns their units.
 */
export async function resolveConflicts(
  transaction: Transaction,
  targetId: string,
  pmsBookingId: string,
  remaining: readonly NewConflict[],
  conflictId?: string,
): Promise<(string | null)[]> {
  const resolved = await rows(
    transaction,
    sql<{ id: string; unit_id: string | null; json: string }>`
      update booking_conflicts conflict
      set status = 'resolved',
        closed_at = clock_timestamp(),
        closed_by = ${JSON.stringify(transaction.actor)},
        updated_at = clock_timestamp(),
        version = version + 1,
        booking_id = coalesce(booking_id, (
          select booking.id
          from bookings booking
          where booking.org_id = conflict.org_id
            and booking.channel_target_id = conflict.channel_target_id
            and booking.external_id = conflict.external_id
            and booking.deleted_at is null))
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and pms_booking_id = ${pmsBookingId}
        and status = 'open'
        ${conflictId ? sql`and id = ${conflictId}` : sql``}
        and not exists (
          select 1
          from jsonb_to_recordset(${JSON.stringify(remaining)}::jsonb) as remaining (external_id text, unit_id uuid)
          where remaining.external_id = conflict.external_id
            and remaining.unit_id is not distinct from conflict.unit_id)
      returning id, unit_id, json`,
  )
  await removeBlocks(
    transaction,
    resolved.map(({ id }) => id),
  )
  await recordConflictEvents(transaction, 'conflict.resolved', resolved)
  return resolved.map(({ unit_id }) => unit_id)
}

/** The lines whose conflict a person dismissed for exactly this revision of the booking. */
export async function listDismissed(
  transaction: Transaction,
  targetId: string,
  booking: PmsBooking,
): Promise<string[]> {
  const dismissed = await rows(
    transaction,
    sql<{ external_id: string }>`
      select external_id
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and pms_booking_id = ${booking.id}
        and status = 'dismissed'
        and booking = ${JSON.stringify(booking)}::jsonb`,
  )
  return dismissed.map(({ external_id }) => external_id)
}

/** The units of a target with an open conflict; null stands for conflicts without a unit. */
export async function listUnitsInConflict(
  transaction: Transaction,
  targetId: string,
): Promise<(string | null)[]> {
  const units = await rows(
    transaction,
    sql<{ unit_id: string | null }>`
      select distinct unit_id
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and status = 'open'`,
  )
  return units.map(({ unit_id }) => unit_id)
}
