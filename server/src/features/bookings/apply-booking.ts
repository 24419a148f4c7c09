import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/scope.ts'
import { takesRooms, type Booking, type BookingStatus } from './booking.ts'
import { conflictsOf, Full } from './conflict.ts'
import { lockExternal, markRevised, type KnownExternal } from './external-queries.ts'
import { mergeGuest } from './merge-guest.ts'
import { insertBooking, updateBooking, type PmsGuest, type WrittenBooking } from './queries.ts'
import { recordChange } from './record-change.ts'
import { placeOf } from './stay.ts'
import { said, weighStay, type Said } from './stay-queries.ts'

/** A booking as the PMS has it: one for each line of rooms. */
export interface ExternalBooking {
  readonly targetId: string
  /** The booking's id over there and the index of the line. */
  readonly externalId: string
  readonly accountId: string
  readonly unitId: string
  readonly ratePlanId: string | null
  readonly status: BookingStatus
  /** What is absent of the guest and the notes is not told now, and stays; null is told to be empty. */
  readonly guestName?: string | null
  readonly guestEmail?: string | null
  readonly guestPhone?: string | null
  readonly guests: number
  readonly rooms: number
  /** Dates where the space is. */
  readonly arrival: string
  readonly departure: string
  readonly totalCents: number
  readonly currency: string
  readonly notes?: string | null
  /** Revisions follow each other by this time (ISO 8601): an older one changes nothing. */
  readonly revisedAt: string
}

export interface Applied {
  readonly outcome: 'created' | 'changed' | 'cancelled' | 'unchanged' | 'conflict'
  readonly bookingId: string | null
  /** Why it does not fit. */
  readonly reason?: 'no-room' | 'unknown-unit' | 'impossible-stay'
  /** Who has the rooms, as a refused booking is told. */
  readonly conflicts?: readonly object[]
  /** The nights on which no room is free. */
  readonly fullNights?: readonly string[]
}

/** Longer stays are mistakes, whoever sells them. */
const mostNights = 3_650

/**
 * What a PMS has sold is true, so only room is asked for: neither the status of the unit nor its guests count. What
 * is cancelled is kept, although it was never heard of: a revision that is older and comes later does not bring it
 * to life. Of two revisions of the same time the cancellation is the later one. Nothing is written on a conflict.
 * `rooms-are-free`: bookings change places with each other, and the caller has counted the rooms for when all have moved.
 */
export async function applyExternalBooking(
  transaction: Transaction,
  external: ExternalBooking,
  counting: 'count-rooms' | 'rooms-are-free' = 'count-rooms',
): Promise<Applied> {
  const known = await lockExternal(transaction, external)
  if (known && isOvertaken(known, external)) return { outcome: 'unchanged', bookingId: known.fields.id }
  const before = known && !known.deleted ? known.fields : null
  const bookingId = known?.fields.id ?? null
  const facts = await weighStay(transaction, {
    unitId: external.unitId,
    ratePlanId: external.ratePlanId,
    checkIn: keptHours(before?.arrival, known?.local_check_in, external.arrival),
    checkOut: keptHours(before?.departure, known?.local_check_out, external.departure),
    rooms: external.rooms,
    held: heldBy(before, external),
  })
  if (!facts) return { outcome: 'conflict', bookingId, reason: 'unknown-unit', conflicts: [] }
  if (facts.nights < 1 || facts.nights > mostNights)
    return { outcome: 'conflict', bookingId, reason: 'impossible-stay', conflicts: [] }
  if (takesRooms(external.status) && facts.full.length > 0 && counting === 'count-rooms') {
    const { rooms, guests } = external
    const full = new Full(facts, { rooms, guests, self: bookingId })
    return {
      outcome: 'conflict',
      bookingId,
      reason: 'no-room',
      conflicts: await conflictsOf(transaction, full),
      fullNights: facts.full.map(({ night }) => night),
    }
  }
  const guest = mergeGuest(external, before && { here: before, told: known!.pms_guest })
  const booking: WrittenBooking & { pmsGuest: PmsGuest } = {
    ...written(external, before),
    ...guest,
    ...placeOf(facts),
    id: bookingId ?? randomUUID(),
    revisedAt: external.revisedAt,
  }
  const outcome = outcomeOf(before, booking)
  if (outcome === 'unchanged') await markRevised(transaction, booking.id, { ...guest, ...external })
  else {
    const row = await (known ? updateBooking : insertBooking)(transaction, booking)
    await recordChange(transaction, { before, after: { ...row.fields, spaceId: facts.space_id } })
  }
  return { outcome, bookingId: booking.id }
}

/** A PMS tells days. Of a day that stays, the hour stays too, as the clocks at the unit show it. */
const keptHours = (dayBefore: string | undefined, local: string | undefined, day: string): Said =>
  dayBefore === day && local !== undefined ? { text: local, kind: 'local', night: day } : said(day)

const isOvertaken = ({ order, fields }: KnownExternal, { status }: ExternalBooking) =>
  order === 'after' || (order === 'same' && fields.status === 'cancelled' && status !== 'cancelled')

const heldBy = (before: Booking | null, { unitId }: ExternalBooking) =>
  before && takesRooms(before.status) && before.unitId === unitId.toLowerCase()
    ? { rooms: before.rooms, from: before.arrival, to: before.departure }
    : null

function outcomeOf(
  before: Booking | null,
  after: WrittenBooking,
): 'created' | 'changed' | 'cancelled' | 'unchanged' {
  const { revisedAt: _at, pmsGuest: _guest, ...members } = after
  const isSame =
    before && Object.entries(members).every(([name, value]) => before[name as keyof Booking] === value)
  if (isSame) return 'unchanged'
  if (after.status === 'cancelled') return 'cancelled'
  return before ? 'changed' : 'created'
}

const written = (external: ExternalBooking, before: Booking | null) => ({
  quoteId: before?.quoteId ?? null,
  guests: Math.max(1, external.guests),
  rooms: external.rooms,
  totalCents: Math.max(0, external.totalCents),
  currency: external.currency,
  status: external.status,
  source: 'pms' as const,
  channelTargetId: external.targetId.toLowerCase(),
  externalId: external.externalId,
  cancellationReason: external.status === 'cancelled' ? (before?.cancellationReason ?? null) : null,
  holdExpiresAt: null,
})
