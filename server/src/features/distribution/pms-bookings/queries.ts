import { sql, type NotNull } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import type { Booking } from '#features/reservations/bookings/booking.ts'
import type { KnownLine } from './match-lines.ts'

/** What is stored of a booking at the PMS. */
export interface StoredPmsBooking {
  /** The external ids of its bookings here, one for each line. */
  readonly external_ids: readonly string[]
  readonly known_lines: readonly KnownLine[]
  readonly cancelled: boolean
  /** A newer revision is stored already. */
  readonly is_outdated: boolean
  /** Another job applied the booking after this revision was requested. */
  readonly is_superseded: boolean
}

interface Revision {
  readonly targetId: string
  /** The id of the booking at the PMS. */
  readonly id: string
  readonly revisedAt: string
  readonly isEnded: boolean
  /** Whether it was read from the PMS after the last revision was applied. */
  readonly isCurrent: boolean
  /** The database time before the PMS was called; null for a revision that cannot be superseded. */
  readonly requestedAt: string | null
}

/**
 * Locks a booking of the PMS. Of two revisions with the same time, the one that ends the booking is the later one,
 * unless the other is what the PMS has now: Hostaway's times are whole seconds.
 */
export async function lockPmsBooking(
  transaction: Transaction,
  { targetId, id, revisedAt, isEnded, isCurrent, requestedAt }: Revision,
): Promise<StoredPmsBooking> {
  const { orgId } = transaction
  const isBooking = sql`org_id = ${orgId} and channel_target_id = ${targetId} and external_id = ${id}`
  const [, , bookings] = await Promise.all([
    rows(
      transaction,
      sql`
        insert into pms_bookings (org_id, channel_target_id, external_id, heard_at)
        values (${orgId}, ${targetId}, ${id}, '-infinity')
        on conflict do nothing`,
    ),
    rows(
      transaction,
      sql`
        select 1
        from pms_bookings
        where ${isBooking}
        for update`,
    ),
    rows(
      transaction,
      sql<StoredPmsBooking>`
        select lines as external_ids, known_lines, cancelled,
          coalesce(
            revised_at > ${revisedAt}::timestamptz
              or revised_at = ${revisedAt}::timestamptz and cancelled and not ${isEnded || isCurrent},
            false) as is_outdated,
          coalesce(heard_at >= ${requestedAt}::timestamptz, false) as is_superseded
        from pms_bookings
        where ${isBooking}`,
    ),
  ])
  return bookings[0]!
}

export const savePmsBooking = (
  transaction: Transaction,
  { targetId, id, revisedAt, isEnded }: Revision,
  booking: PmsBooking,
  lines: readonly KnownLine[],
) =>
  rows(
    transaction,
    sql`
      update pms_bookings
      set revision = ${booking.revision},
        booking = ${JSON.stringify(booking)}::jsonb,
        revised_at = ${revisedAt}::timestamptz,
        cancelled = ${isEnded},
        lines = ${lines.map(({ external_id }) => external_id)}::text[],
        known_lines = ${JSON.stringify(lines)}::jsonb,
        heard_at = clock_timestamp()
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and external_id = ${id}`,
  )

/**
 * The last revision of a booking, to be applied again; null when the booking has ended. A conflict has it as the PMS sent it;
 * without one, the guest is the one that the PMS sent last, or the name here where that was not recorded. A process of an
 * earlier release has stored only parts of it.
 */
export async function loadLastRevision(
  transaction: Transaction,
  targetId: string,
  id: string,
): Promise<PmsBooking | null> {
  const row = await first(
    transaction,
    sql<{ booking: PmsBooking | null }>`
      select coalesce(
        (
          select conflict.booking
          from booking_conflicts conflict
          where conflict.org_id = known.org_id
            and conflict.channel_target_id = known.channel_target_id
            and conflict.pms_booking_id = known.external_id
            and conflict.status = 'open'
          limit 1),
        case
          when (known.booking ->> 'revisedAt')::timestamptz = known.revised_at then known.booking
          else stored_revision(known)
        end || coalesce(
          (
            select coalesce(booking.pms_guest, jsonb_build_object('guestName', booking.guest_name))
            from bookings booking
            where booking.org_id = known.org_id
              and booking.channel_target_id = known.channel_target_id
              and booking.external_id = any(known.lines)
            limit 1),
          '{}')) as booking
      from pms_bookings known
      where known.org_id = ${transaction.orgId}
        and known.channel_target_id = ${targetId}
        and known.external_id = ${id}
        and not known.cancelled`,
  )
  return row?.booking ?? null
}

/**
 * Whether exactly this revision was applied. Without a name it is known by its time, which may be a whole second: a state
 * that was applied within a minute may have changed since.
 */
export async function wasApplied(
  scope: Scope,
  targetId: string,
  { id, revisedAt, revision }: { id: string; revisedAt: string | null; revision: string | null },
): Promise<boolean> {
  const row = await first(
    scope,
    sql`
      select 1
      from pms_bookings
      where org_id = ${scope.orgId}
        and channel_target_id = ${targetId}
        and external_id = ${id}
        and revised_at = ${revisedAt}::timestamptz
        and revision is not distinct from ${revision}
        and (revision is not null or heard_at > revised_at + interval '1 minute')`,
  )
  return row !== undefined
}

/** The unit that is linked to a room of the PMS, with the mapping of its rate plans. */
export interface LinkedRoom {
  readonly external_id: NotNull<string>
  readonly unit_id: string
  readonly account_id: string
  readonly currency: string
  readonly rate_plans: readonly { rate_plan_id: string; external_id: string }[]
}

/** They stay linked as they are until the transaction ends: what is linked elsewhere then finds what has been applied. */
export async function listLinkedRooms(
  transaction: Transaction,
  targetId: string,
  externalIds: readonly string[],
): Promise<LinkedRoom[]> {
  const isLinked = sql`listing.org_id = ${transaction.orgId}
    and listing.channel_target_id = ${targetId}
    and listing.external_id = any(${externalIds}::text[])`
  const [, rooms] = await Promise.all([
    // A statement of its own, because a join that waits for a lock misses a row whose other side has moved.
    rows(
      transaction,
      sql`
        select 1
        from channel_listings listing
        where ${isLinked}
        order by listing.id
        for key share`,
    ),
    rows(
      transaction,
      sql<LinkedRoom>`
        select listing.external_id, listing.unit_id, listing.account_id, unit.currency, listing.rate_plans
        from channel_listings listing
        join units unit
          on unit.org_id = listing.org_id
          and unit.id = listing.unit_id
        where ${isLinked}`,
    ),
  ])
  return rooms
}

/** A unit as a room of the PMS that a person links for one booking. */
export const getUnitAsRoom = (transaction: Transaction, unitId: string) =>
  first(
    transaction,
    sql<LinkedRoom>`
      select '' as external_id, unit.id as unit_id, unit.account_id, unit.currency, '[]'::jsonb as rate_plans
      from units unit
      where unit.org_id = ${transaction.orgId}
        and unit.id = ${unitId}
        and unit.deleted_at is null`,
  )

/** The bookings here by external id. */
export async function loadBookings(
  transaction: Transaction,
  targetId: string,
  externalIds: readonly string[],
): Promise<Map<string, Booking>> {
  const bookings = await rows(
    transaction,
    sql<{ external_id: NotNull<string>; fields: Booking }>`
      select external_id, json::jsonb as fields
      from bookings
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and external_id = any(${externalIds}::text[])
        and deleted_at is null`,
  )
  return new Map(bookings.map(({ external_id, fields }) => [external_id, fields]))
}
