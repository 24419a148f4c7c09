import type { Transaction } from '#db/scope.ts'
import { isCurrency } from '#fields.ts'
import type { PmsBooking, PmsBookingLine } from '#outside/pms/pms-booking.ts'
import { applyExternalBooking, type Applied, type ExternalBooking } from '../bookings/apply-booking.ts'
import { hasEnded, type Booking, type BookingStatus } from '../bookings/booking.ts'
import { lockUnits } from '../bookings/stay-queries.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import type { PmsConflictReason } from './booking-conflict.ts'
import { doubtStays, type Stay } from './doubt-stays.ts'
import { bookingsCalled, keepHeard, linkedRooms, lockHeard, type LinkedRoom } from './queries.ts'
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
 * Brings every line of a booking to what the PMS says, in one transaction. What is given back goes first, and what
 * finds no room is tried again after the others, so that rooms can move among the lines of one booking. What does not
 * fit in the end, or is not mapped, is kept as a conflict.
 */
export async function applyPmsBooking(
  transaction: Transaction,
  told: PmsBooking,
  { target, needsPlan, askedAt }: Applying,
): Promise<Outcome> {
  const whole = storable(told)
  const isOver = isEnd(whole)
  const revisedAt = whole.revisedAt ?? new Date().toISOString()
  const state = { targetId: target.id, id: whole.id, revisedAt, isOver, askedAt }
  const heard = await lockHeard(transaction, state)
  if (heard.is_overtaken && whole.revision === null) return 'overtaken'
  if (heard.is_late) return 'late'
  const booking = await unlessForgotten(transaction, target.id, whole, heard.lines)

  const named = new Map(booking.lines.map((line) => [lineId(booking, line), line]))
  const known = await bookingsCalled(transaction, target.id, [...new Set([...heard.lines, ...named.keys()])])
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

  const lines = [...named].map(([externalId, line]): Wish => {
    const room = line.listing === null ? undefined : rooms.get(line.listing)
    return { externalId, line, room, before: known.get(externalId) }
  })
  const usable = lines.filter(isUsable)
  const found: Found[] = isOver
    ? []
    : lines.filter((wish) => !isUsable(wish)).map((wish) => ({ ...wish, reason: troubleOf(wish) }))
  if (booking.lines.length === 0 && !isOver)
    found.push({ externalId: booking.id, line: null, reason: 'incomplete' })

  const moved: Stay[] = []
  for (const before of toRelease(booking, known, usable)) {
    await applyExternalBooking(transaction, cancelled(before, { target, booking, revisedAt }))
    moved.push(before)
  }
  const wishes = booking.status === 'inquiry' ? [] : usable
  const placed = await placeAll(transaction, wishes, (wish) => asked(wish, { target, booking, revisedAt }))
  for (const { wish, applied } of placed) {
    const reason =
      applied.outcome === 'conflict' ? reasons[applied.reason!] : planTrouble(wish, needsPlan && !isOver)
    if (reason)
      found.push({ ...wish, reason, bookingId: applied.bookingId, conflicts: applied.conflicts ?? [] })
    if (applied.outcome !== 'conflict' && applied.outcome !== 'unchanged')
      moved.push(...(wish.before ? [wish.before] : []), { unitId: wish.room.unit_id, ...wish.line })
  }
  await doubtStays(transaction, target.id, moved)
  await keepHeard(transaction, state, booking.revision, [...new Set([...known.keys(), ...named.keys()])])
  await settleConflicts(transaction, target, booking, found)
  return 'applied'
}

interface Wish {
  readonly externalId: string
  readonly line: PmsBookingLine
  readonly room: LinkedRoom | undefined
  readonly before: Booking | undefined
}
type Usable = Wish & {
  readonly room: LinkedRoom
  readonly line: PmsBookingLine & { readonly arrival: string; readonly departure: string }
}

const isUsable = (wish: Wish): wish is Usable =>
  wish.room !== undefined && wish.line.arrival !== null && wish.line.departure !== null

const troubleOf = ({ room }: Wish): PmsConflictReason => (room ? 'incomplete' : 'unlinked_room')

const reasons = {
  'no-room': 'no_room',
  'unknown-unit': 'unlinked_room',
  'impossible-stay': 'impossible_stay',
} as const

const planTrouble = ({ line, room }: Usable, matters: boolean): PmsConflictReason | null =>
  matters && !planOf(line, room) ? 'unlinked_plan' : null

const planOf = ({ plan }: PmsBookingLine, { rate_plans }: LinkedRoom) =>
  rate_plans.find(({ external_id }) => external_id === plan)?.rate_plan_id ?? null

/** Tried in turns until no more of them find room. */
async function placeAll(
  transaction: Transaction,
  wishes: readonly Usable[],
  externalOf: (wish: Usable) => ExternalBooking,
): Promise<{ wish: Usable; applied: Applied }[]> {
  const placed: { wish: Usable; applied: Applied }[] = []
  for (let left = wishes, before = Infinity; left.length > 0 && left.length < before;) {
    before = left.length
    const again: Usable[] = []
    const refused: typeof placed = []
    for (const wish of left) {
      const applied = await applyExternalBooking(transaction, externalOf(wish))
      if (applied.outcome !== 'conflict') placed.push({ wish, applied })
      else {
        again.push(wish)
        refused.push({ wish, applied })
      }
    }
    left = again
    if (left.length === before) placed.push(...refused)
  }
  return placed
}

/**
 * What is here and no longer over there. While a line does not say its room, or no line is told at all, nothing is
 * given back: it may be the very one.
 */
function toRelease(
  booking: PmsBooking,
  known: ReadonlyMap<string, Booking>,
  usable: readonly Usable[],
): Booking[] {
  const live = [...known.values()].filter(({ status }) => !hasEnded(status))
  const isTold = ({ externalId }: Booking) =>
    booking.status === 'inquiry' ? false : usable.some((wish) => wish.externalId === externalId)
  if (isEnd(booking)) return live.filter((one) => !isTold(one))
  if (booking.lines.length === 0 || booking.lines.some(({ listing }) => listing === null)) return []
  const names = new Set(booking.lines.map((line) => lineId(booking, line)))
  return live.filter(({ externalId }) => !names.has(externalId!))
}

interface Surroundings {
  readonly target: TargetConnection
  readonly booking: PmsBooking
  readonly revisedAt: string
}

const asked = (
  { externalId, line, room, before }: Usable,
  { target, booking, revisedAt }: Surroundings,
): ExternalBooking => ({
  targetId: target.id,
  externalId,
  accountId: room.account_id,
  unitId: room.unit_id,
  ratePlanId: planOf(line, room),
  status: statusAfter(before, booking.status),
  guestName: booking.guestName ?? before?.guestName ?? 'Guest',
  guestEmail: booking.guestEmail,
  guestPhone: booking.guestPhone,
  guests: line.guests,
  rooms: line.rooms,
  arrival: line.arrival,
  departure: line.departure,
  totalCents: line.totalCents ?? before?.totalCents ?? 0,
  currency: booking.currency !== null && isCurrency(booking.currency) ? booking.currency : room.currency,
  notes: booking.notes,
  revisedAt,
})

/** The guest's presence is known here better than at the PMS, which goes on saying that it is booked. */
function statusAfter(before: Booking | undefined, status: PmsBooking['status']): BookingStatus {
  if (status === 'inquiry') return 'cancelled'
  const isThere = before && ['checked_in', 'checked_out', 'no_show'].includes(before.status)
  return isThere && status === 'confirmed' ? before.status : status
}

const cancelled = (before: Booking, { target, booking, revisedAt }: Surroundings): ExternalBooking => ({
  ...before,
  targetId: target.id,
  externalId: before.externalId!,
  accountId: before.account_id,
  status: booking.status === 'declined' || booking.status === 'expired' ? booking.status : 'cancelled',
  revisedAt,
})

const lineId = ({ id }: PmsBooking, { key }: PmsBookingLine) =>
  (key === '' ? id : `${id}#${key}`).slice(0, 255)

const ends: readonly string[] = ['cancelled', 'declined', 'expired', 'inquiry']
const isEnd = ({ status }: PmsBooking) => ends.includes(status)

/** Without what no text can hold here. */
const storable = (told: PmsBooking): PmsBooking =>
  JSON.parse(
    JSON.stringify(told, (_name, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
    ),
  ) as PmsBooking
