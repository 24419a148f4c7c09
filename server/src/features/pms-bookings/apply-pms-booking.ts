import type { Transaction } from '#db/scope.ts'
import { isCurrency } from '#fields.ts'
import type { PmsBooking, PmsBookingLine } from '#outside/pms/pms-booking.ts'
import { applyExternalBooking, type ExternalBooking } from '../bookings/apply-booking.ts'
import { hasEnded, type Booking, type BookingStatus } from '../bookings/booking.ts'
import { lockUnits } from '../bookings/stay-queries.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import type { PmsConflictReason } from './booking-conflict.ts'
import { doubtStays, type Stay } from './doubt-stays.ts'
import { isPlaceable, placeLines, type PlaceableLine, type RevisedLine } from './place-lines.ts'
import { bookingsCalled, keepHeard, linkedRooms, lockHeard, type LinkedRoom } from './queries.ts'
import { isOver, nameLines, saysWhatIsRemoved } from './name-lines.ts'
import { settleConflicts, type Found } from './settle-conflicts.ts'
import { unlessForgotten } from './unless-forgotten.ts'

export interface Applying {
  readonly target: TargetConnection
  /** Whether the PMS sells nothing without a plan of its own. */
  readonly needsPlan: boolean
  /** The time of the database before the PMS was asked; null when what it said cannot change. */
  readonly askedAt: string | null
}

/** `late`: what is known is newer. `overtaken`: somebody applied it while the PMS was asked, so it must be asked again. */
export type Outcome = 'applied' | 'late' | 'overtaken'

/**
 * Brings every line of a booking to what the PMS says, in one transaction. A line is first matched with what the PMS
 * said before, so that a booking keeps its identity whatever changes. What is given back goes first, and what finds no
 * room is tried again after the others, so that rooms can move among the lines of one booking. What does not fit in the
 * end, or is not mapped, is kept as a conflict, and its booking stays where it is.
 */
export async function applyPmsBooking(
  transaction: Transaction,
  told: PmsBooking,
  { target, needsPlan, askedAt }: Applying,
): Promise<Outcome> {
  const whole = storable(told)
  const isEnded = isOver(whole.status)
  const revisedAt = whole.revisedAt ?? new Date().toISOString()
  const state = { targetId: target.id, id: whole.id, revisedAt, isOver: isEnded, askedAt }
  const heard = await lockHeard(transaction, state)
  if (heard.is_overtaken && whole.revision === null) return 'overtaken'
  if (heard.is_late) return 'late'
  const booking = await unlessForgotten(transaction, target.id, whole, heard.lines)

  const known = await bookingsCalled(transaction, target.id, heard.lines)
  const names = booking.lines.map(({ listing }) => listing).filter((name) => name !== null)
  const rooms = new Map(
    (await linkedRooms(transaction, target.id, names)).map((room) => [room.external_id, room]),
  )
  await lockUnits(
    transaction,
    [...rooms.values(), ...[...known.values()].map(({ unitId }) => ({ unit_id: unitId }))].map(
      ({ unit_id }) => unit_id,
    ),
  )

  const named = nameLines(booking, heard, known)
  const lines = booking.lines.map((line, at): RevisedLine => {
    const room = line.listing === null ? undefined : rooms.get(line.listing)
    const externalId = named.externalIds[at]!
    return { externalId, line, room, before: known.get(externalId) }
  })
  const usable = lines.filter(isPlaceable)
  const found: Found[] = isEnded
    ? []
    : lines
        .filter((line) => !isPlaceable(line))
        .map((line) => ({ ...line, reason: troubleOf(line), bookingId: line.before?.id ?? null }))
  if (booking.lines.length === 0 && !isEnded)
    found.push({ externalId: booking.id, line: null, reason: 'incomplete' })

  const moved: Stay[] = []
  for (const before of toRelease(booking, known, lines)) {
    await applyExternalBooking(transaction, cancelled(before, { target, booking, revisedAt }))
    moved.push(before)
  }
  const placeable = booking.status === 'inquiry' ? [] : usable
  const placed = await placeLines(transaction, placeable, (line) =>
    asked(line, { target, booking, revisedAt }),
  )
  for (const { line, applied } of placed) {
    const reason =
      applied.outcome === 'conflict' ? reasons[applied.reason!] : planTrouble(line, needsPlan && !isEnded)
    if (reason)
      found.push({
        ...line,
        reason,
        bookingId: applied.bookingId,
        conflicts: applied.conflicts ?? [],
        fullNights: applied.fullNights ?? [],
      })
    if (applied.outcome !== 'conflict' && applied.outcome !== 'unchanged')
      moved.push(...(line.before ? [line.before] : []), { unitId: line.room.unit_id, ...line.line })
  }
  await doubtStays(transaction, target.id, moved)
  await keepHeard(transaction, state, booking.revision, named.known)
  await settleConflicts(transaction, target, booking, found)
  return 'applied'
}

const troubleOf = ({ room }: RevisedLine): PmsConflictReason => (room ? 'incomplete' : 'unlinked_room')

const reasons = {
  'no-room': 'no_room',
  'unknown-unit': 'unlinked_room',
  'impossible-stay': 'impossible_stay',
} as const

const planTrouble = ({ line, room }: PlaceableLine, matters: boolean): PmsConflictReason | null =>
  matters && !planOf(line, room) ? 'unlinked_plan' : null

const planOf = ({ plan }: PmsBookingLine, { rate_plans }: LinkedRoom) =>
  rate_plans.find(({ external_id }) => external_id === plan)?.rate_plan_id ?? null

/** What is here and no longer over there. Of what is over, also the lines that do not say what they are. */
function toRelease(
  booking: PmsBooking,
  known: ReadonlyMap<string, Booking>,
  lines: readonly RevisedLine[],
): Booking[] {
  const live = [...known.values()].filter(({ status }) => !hasEnded(status))
  if (booking.status === 'inquiry') return live
  if (!isOver(booking.status) && !saysWhatIsRemoved(booking)) return []
  const kept = isOver(booking.status) ? lines.filter(isPlaceable) : lines
  return live.filter(({ externalId }) => !kept.some((line) => line.externalId === externalId))
}

interface Surroundings {
  readonly target: TargetConnection
  readonly booking: PmsBooking
  readonly revisedAt: string
}

const asked = (
  { externalId, line, room, before }: PlaceableLine,
  { target, booking, revisedAt }: Surroundings,
): ExternalBooking => ({
  targetId: target.id,
  externalId,
  accountId: room.account_id,
  unitId: room.unit_id,
  ratePlanId: planOf(line, room) ?? keptPlan(line, room, before),
  status: statusAfter(before, booking.status),
  guestName: booking.guestName,
  guestEmail: booking.guestEmail,
  guestPhone: booking.guestPhone,
  guests: line.guests,
  rooms: line.rooms,
  arrival: line.arrival,
  departure: line.departure,
  ...priceOf(line, booking, before, room),
  notes: booking.notes,
  revisedAt,
})

/** A PMS that knows no plans says nothing against the one that the stay has here. */
const keptPlan = ({ plan }: PmsBookingLine, { unit_id }: LinkedRoom, before: Booking | undefined) =>
  plan === null && before?.unitId === unit_id ? before.ratePlanId : null

/** An amount is never read in another currency than it was told in. */
function priceOf(
  { totalCents }: PmsBookingLine,
  booking: PmsBooking,
  before: Booking | undefined,
  room: LinkedRoom,
): { totalCents: number; currency: string } {
  if (totalCents === null && before) return { totalCents: before.totalCents, currency: before.currency }
  const told = booking.currency !== null && isCurrency(booking.currency) ? booking.currency : null
  return { totalCents: totalCents ?? 0, currency: told ?? before?.currency ?? room.currency }
}

/** The guest's presence is known here better than at the PMS, which goes on saying that it is booked. */
function statusAfter(before: Booking | undefined, status: PmsBooking['status']): BookingStatus {
  if (status === 'inquiry') return 'cancelled'
  const isThere = before && ['checked_in', 'checked_out', 'no_show'].includes(before.status)
  return isThere && status === 'confirmed' ? before.status : status
}

/** Of its guest nothing is told. */
const cancelled = (before: Booking, { target, booking, revisedAt }: Surroundings): ExternalBooking => ({
  targetId: target.id,
  externalId: before.externalId!,
  accountId: before.account_id,
  unitId: before.unitId,
  ratePlanId: before.ratePlanId,
  guests: before.guests,
  rooms: before.rooms,
  arrival: before.arrival,
  departure: before.departure,
  totalCents: before.totalCents,
  currency: before.currency,
  status: booking.status === 'declined' || booking.status === 'expired' ? booking.status : 'cancelled',
  revisedAt,
})

/** Without what no text can hold here. */
const storable = (told: PmsBooking): PmsBooking =>
  JSON.parse(
    JSON.stringify(told, (_name, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
    ),
  ) as PmsBooking
