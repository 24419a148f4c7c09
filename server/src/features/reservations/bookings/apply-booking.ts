import { randomUUID } from 'node:crypto'
import { sql } from '#db/sql.ts'
import { type Transaction, rows } from '#db/scope.ts'
import { takesRooms, type Booking, type BookingStatus } from './booking.ts'
import { findConflicts, Overbooked } from './find-conflicts.ts'
import { mergeGuest, type IncomingGuest } from './merge-guest.ts'
import { insertBooking, updateBooking, type PmsGuest, type BookingValues } from './queries.ts'
import { recordChange } from './record-change.ts'
import { stayFields } from './stay.ts'
import { parseStayTime, loadStayFacts, type StayTime } from './stay-queries.ts'

/** A booking as the PMS has it: one for each of its rooms. */
export interface ExternalBooking extends IncomingGuest {
  readonly targetId: string
  /** The id of the booking at the PMS and the index of the room. */
  readonly externalId: string
  readonly accountId: string
  readonly unitId: string
  readonly ratePlanId: string | null
  readonly status: BookingStatus
  readonly guests: number
  readonly rooms: number
  /** Dates where the space is. */
  readonly arrival: string
  readonly departure: string
  readonly totalCents: number
  readonly currency: string
  /** The time of the revision (ISO 8601): an older revision than the stored one changes nothing. */
  readonly revisedAt: string
  /** Whether the PMS had cancelled it before: then it follows a cancellation of the same time. */
  readonly isReinstated?: boolean
}

export interface ApplyResult {
  readonly outcome: 'created' | 'changed' | 'cancelled' | 'unchanged' | 'conflict'
  readonly bookingId: string | null
  /** Why it was not applied. */
  readonly reason?: 'no-room' | 'unknown-unit' | 'impossible-stay'
  /** The bookings and blocks that have the rooms, as in a `booking-conflict` problem. */
  readonly conflicts?: readonly object[]
  /** The nights on which no room is free. */
  readonly fullNights?: readonly string[]
}

/** A longer stay is taken for a mistake of the PMS. */
const maxNights = 3_650

/**
 * Applies a booking that a PMS has sold. Only free rooms are required; the status of the unit and its number of guests
 * do not count. A cancellation is stored even of an unknown booking, so that an older revision that comes later does
 * not create it. Of two revisions of the same time the cancellation wins, unless the PMS has reinstated the booking.
 * Nothing is written on a conflict. `rooms-are-free` is for bookings that swap units: the caller has counted the rooms
 * for when all have moved.
 */
export async function applyExternalBooking(
  transaction: Transaction,
  external: ExternalBooking,
  roomCheck: 'count-rooms' | 'rooms-are-free' = 'count-rooms',
): Promise<ApplyResult> {
  const known = await lockExternalBooking(transaction, external)
  if (known && isStale(known, external)) return { outcome: 'unchanged', bookingId: known.fields.id }
  const before = known && !known.deleted ? known.fields : null
  const bookingId = known?.fields.id ?? null
  const facts = await loadStayFacts(transaction, {
    unitId: external.unitId,
    ratePlanId: external.ratePlanId,
    checkIn: keepLocalTime(before?.arrival, known?.local_check_in, external.arrival),
    checkOut: keepLocalTime(before?.departure, known?.local_check_out, external.departure),
    rooms: external.rooms,
    currentRooms: roomsOf(before, external),
  })
  if (!facts) return { outcome: 'conflict', bookingId, reason: 'unknown-unit', conflicts: [] }
  if (facts.nights < 1 || facts.nights > maxNights)
    return { outcome: 'conflict', bookingId, reason: 'impossible-stay', conflicts: [] }
  if (takesRooms(external.status) && facts.full_nights.length > 0 && roomCheck === 'count-rooms') {
    const { rooms, guests } = external
    const full = new Overbooked(facts, { rooms, guests, bookingId })
    return {
      outcome: 'conflict',
      bookingId,
      reason: 'no-room',
      conflicts: await findConflicts(transaction, full),
      fullNights: facts.full_nights.map(({ night }) => night),
    }
  }
  const guest = mergeGuest(external, before && { booking: before, pmsGuest: known!.pms_guest })
  const booking: BookingValues & { pmsGuest: PmsGuest } = {
    ...buildFields(external, before),
    ...guest,
    ...stayFields(facts),
    id: bookingId ?? randomUUID(),
    revisedAt: external.revisedAt,
  }
  const outcome = outcomeOf(before, booking)
  if (outcome === 'unchanged') await recordRevision(transaction, booking.id, { ...guest, ...external })
  else {
    const row = await (known ? updateBooking : insertBooking)(transaction, booking)
    await recordChange(transaction, { before, after: { ...row.fields, spaceId: facts.space_id } })
  }
  return { outcome, bookingId: booking.id }
}

/** A PMS sends days. When the day is unchanged, the local time of the stored booking is kept. */
const keepLocalTime = (dayBefore: string | undefined, local: string | undefined, day: string): StayTime =>
  dayBefore === day && local !== undefined ? { text: local, kind: 'local', night: day } : parseStayTime(day)

const isStale = (
  { stored_revision, fields, deleted }: StoredExternalBooking,
  { status, isReinstated = false }: ExternalBooking,
) =>
  stored_revision === 'newer' ||
  (stored_revision === 'same' &&
    !isReinstated &&
    (deleted || (fields.status === 'cancelled' && status !== 'cancelled')))

const roomsOf = (before: Booking | null, { unitId }: ExternalBooking) =>
  before && takesRooms(before.status) && before.unitId === unitId
    ? { rooms: before.rooms, from: before.arrival, to: before.departure }
    : null

function outcomeOf(
  before: Booking | null,
  after: BookingValues,
): 'created' | 'changed' | 'cancelled' | 'unchanged' {
  const { revisedAt: _at, pmsGuest: _guest, ...members } = after
  const isSame =
    before && Object.entries(members).every(([name, value]) => before[name as keyof Booking] === value)
  if (isSame) return 'unchanged'
  if (after.status === 'cancelled') return 'cancelled'
  return before ? 'changed' : 'created'
}

const buildFields = (external: ExternalBooking, before: Booking | null) => ({
  quoteId: before?.quoteId ?? null,
  guests: Math.max(1, external.guests),
  rooms: external.rooms,
  totalCents: Math.max(0, external.totalCents),
  currency: external.currency,
  status: external.status,
  source: 'pms' as const,
  channelTargetId: external.targetId,
  externalId: external.externalId,
  cancellationReason: external.status === 'cancelled' ? (before?.cancellationReason ?? null) : null,
  holdExpiresAt: null,
})

interface StoredExternalBooking {
  readonly fields: Booking
  /** Local times of the space. */
  readonly local_check_in: string
  readonly local_check_out: string
  /** The guest as the PMS sent it last; null when that was not recorded. */
  readonly pms_guest: PmsGuest | null
  readonly deleted: boolean
  /** The revision that is stored, compared with the one to apply. */
  readonly stored_revision: 'older' | 'same' | 'newer'
}

interface ExternalKey {
  readonly targetId: string
  readonly externalId: string
  readonly unitId: string
  readonly revisedAt: string
}

/** Reads the booking of a PMS under a lock. The key is locked by an advisory lock, because there may be no row yet. */
async function lockExternalBooking(
  transaction: Transaction,
  key: ExternalKey,
): Promise<StoredExternalBooking | undefined> {
  const { orgId } = transaction
  const isThis = sql`booking.org_id = ${orgId}
      and booking.channel_target_id = ${key.targetId}::uuid
      and booking.external_id = ${key.externalId}`
  const [, units, , known] = await Promise.all([
    rows(
      transaction,
      sql`select pg_advisory_xact_lock(hashtextextended(${`${orgId} ${key.targetId} ${key.externalId}`}, 11))`,
    ),
    rows(
      transaction,
      sql<{ id: string }>`
        select id
        from units
        where org_id = ${orgId}
          and id in (${key.unitId}::uuid, (select booking.unit_id from bookings booking where ${isThis}))
        order by id
        for no key update`,
    ),
    rows(transaction, sql`select 1 from bookings booking where ${isThis} for update`),
    rows(
      transaction,
      sql<StoredExternalBooking>`
        select booking.json::jsonb || jsonb_build_object('spaceId', unit.space_id) as fields,
          to_char(booking.check_in at time zone space.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_in,
          to_char(booking.check_out at time zone space.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_out,
          booking.pms_guest, booking.deleted_at is not null as deleted,
          case when booking.external_revised_at > ${key.revisedAt}::timestamptz then 'newer'
            when booking.external_revised_at = ${key.revisedAt}::timestamptz then 'same'
            else 'older' end as stored_revision
        from bookings booking
        join units unit
          on unit.org_id = booking.org_id
          and unit.id = booking.unit_id
        join spaces space
          on space.org_id = unit.org_id
          and space.id = unit.space_id
        where ${isThis}`,
    ),
  ])
  const [found] = known
  if (found && !units.some(({ id }) => id === found.fields.unitId))
    throw Object.assign(new Error('The booking has moved to another unit meanwhile.'), { code: '40001' })
  return found
}

/** Records a revision that changes nothing else. */
const recordRevision = (
  transaction: Transaction,
  id: string,
  { revisedAt, pmsGuest }: { revisedAt: string; pmsGuest: PmsGuest },
) =>
  rows(
    transaction,
    sql`update bookings set external_revised_at = ${revisedAt}::timestamptz,
        pms_guest = ${JSON.stringify(pmsGuest)}::jsonb
      where org_id = ${transaction.orgId} and id = ${id}`,
  )
