import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/scope.ts'
import { takesRooms, type Booking, type BookingStatus } from './booking.ts'
import { conflictsOf, Full } from './conflict.ts'
import { lockExternal, markRevised, type KnownExternal } from './external-queries.ts'
import { insertBooking, updateBooking, type WrittenBooking } from './queries.ts'
import { recordChange } from './record-change.ts'
import { placeOf } from './stay.ts'
import { said, weighStay } from './stay-queries.ts'

/** A booking as the PMS has it: one for each line of rooms. */
export interface ExternalBooking {
  readonly targetId: string
  /** The booking's id over there and the index of the line. */
  readonly externalId: string
  readonly accountId: string
  readonly unitId: string
  readonly ratePlanId: string | null
  readonly status: BookingStatus
  readonly guestName: string
  readonly guestEmail: string | null
  readonly guestPhone: string | null
  readonly guests: number
  readonly rooms: number
  /** Dates where the space is. */
  readonly arrival: string
  readonly departure: string
  readonly totalCents: number
  readonly currency: string
  readonly notes: string | null
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
}

/** Longer stays are mistakes, whoever sells them. */
const mostNights = 3_650

/**
 * What a PMS has sold is true, so only room is asked for: neither the status of the unit nor its guests count. What
 * is cancelled is kept, although it was never heard of: a revision that is older and comes later does not bring it
 * to life. Of two revisions of the same time the cancellation is the later one. Nothing is written on a conflict.
 */
export async function applyExternalBooking(
  transaction: Transaction,
  external: ExternalBooking,
): Promise<Applied> {
  const known = await lockExternal(transaction, external)
  if (known && isOvertaken(known, external)) return { outcome: 'unchanged', bookingId: known.fields.id }
  const before = known && !known.deleted ? known.fields : null
  const bookingId = known?.fields.id ?? null
  const facts = await weighStay(transaction, {
    unitId: external.unitId,
    ratePlanId: external.ratePlanId,
    checkIn: said(external.arrival),
    checkOut: said(external.departure),
    rooms: external.rooms,
    held: heldBy(before, external),
  })
  if (!facts) return { outcome: 'conflict', bookingId, reason: 'unknown-unit', conflicts: [] }
  if (facts.nights < 1 || facts.nights > mostNights)
    return { outcome: 'conflict', bookingId, reason: 'impossible-stay', conflicts: [] }
  if (takesRooms(external.status) && facts.full.length > 0) {
    const { rooms, guests } = external
    const full = new Full(facts, { rooms, guests, self: bookingId })
    return {
      outcome: 'conflict',
      bookingId,
      reason: 'no-room',
      conflicts: await conflictsOf(transaction, full),
    }
  }
  const booking: WrittenBooking = {
    ...written(external, before),
    ...placeOf(facts),
    id: bookingId ?? randomUUID(),
  }
  const outcome = outcomeOf(before, booking)
  if (outcome === 'unchanged') await markRevised(transaction, booking.id, external.revisedAt)
  else {
    const row = await (known ? updateBooking : insertBooking)(transaction, booking)
    await recordChange(transaction, { before, after: { ...row.fields, spaceId: facts.space_id } })
  }
  return { outcome, bookingId: booking.id }
}

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
  const { revisedAt: _, ...members } = after
  const isSame =
    before && Object.entries(members).every(([name, value]) => before[name as keyof Booking] === value)
  if (isSame) return 'unchanged'
  if (after.status === 'cancelled') return 'cancelled'
  return before ? 'changed' : 'created'
}

/** As it came, but for what no text can hold here. */
const written = (external: ExternalBooking, before: Booking | null) => ({
  quoteId: before?.quoteId ?? null,
  guestName: plain(external.guestName, 255)?.trim() || 'Guest',
  guestEmail: plain(external.guestEmail, 254),
  guestPhone: plain(external.guestPhone, 64),
  guests: Math.max(1, external.guests),
  rooms: external.rooms,
  totalCents: Math.max(0, external.totalCents),
  currency: external.currency,
  status: external.status,
  source: 'pms' as const,
  channelTargetId: external.targetId.toLowerCase(),
  externalId: external.externalId,
  notes: plain(external.notes, 10_000),
  cancellationReason: external.status === 'cancelled' ? (before?.cancellationReason ?? null) : null,
  holdExpiresAt: null,
  revisedAt: external.revisedAt,
})

const plain = (text: string | null, most: number) =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed().slice(0, most).toWellFormed()
