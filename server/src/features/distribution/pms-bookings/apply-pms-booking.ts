import type { Transaction } from '#db/scope.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import { applyExternalBooking, type ExternalBooking } from '#features/reservations/bookings/apply-booking.ts'
import { hasEnded, takesRooms, type Booking } from '#features/reservations/bookings/booking.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { adoptLines } from './adopt-lines.ts'
import type { PmsConflictReason } from './booking-conflict.ts'
import { putBlocks, takeBlocks, type StayInConflict } from './conflict-blocks.ts'
import { mappedPlan, toCancellation, toExternalBooking } from './external-booking.ts'
import { invalidateStays, listRecountedStays } from './invalidate-stays.ts'
import type { KnownLine } from './match-lines.ts'
import { mergeStay } from './merge-stay.ts'
import { assignExternalIds, endsBooking, listsAllRooms } from './assign-external-ids.ts'
import { isPlaceable, placeLines, type PlaceableLine, type RevisedLine } from './place-lines.ts'
import { listLinkedRooms, loadBookings, lockPmsBooking, savePmsBooking, type LinkedRoom } from './queries.ts'
import { recordConflicts, type LineProblem } from './record-conflicts.ts'
import { redactErased } from './redact-erased.ts'

export interface ApplyOptions {
  readonly target: TargetConnection
  /** Whether the PMS sells nothing without a rate plan. */
  readonly needsPlan: boolean
  /** The unit that a person chose for one of the lines, in place of the one that its room is linked to. */
  readonly chosen?: { readonly externalId: string; readonly room: LinkedRoom }
  /** The database time before the PMS was called; null for a revision that cannot be superseded. */
  readonly requestedAt: string | null
}

/**
 * `outdated`: a newer revision is applied already. `superseded`: another job applied the booking during the call, so it
 * must be fetched again.
 */
export type ApplyResult = 'applied' | 'outdated' | 'superseded'

/**
 * Applies a revision of a booking of the PMS to the bookings here, in one transaction. Each line is first matched with
 * a line of the previous revision, so that its booking keeps its identity. Rooms are released first, and lines that do
 * not fit are retried after the others, so that rooms can move between the lines of one booking. A line that still does
 * not fit, or is not mapped, is recorded as a conflict, and its booking stays unchanged.
 */
export async function applyPmsBooking(
  transaction: Transaction,
  received: PmsBooking,
  { target, needsPlan, requestedAt, chosen }: ApplyOptions,
): Promise<ApplyResult> {
  const revisedAt = received.revisedAt ?? new Date(requestedAt ?? Date.now()).toISOString()
  // A conflict keeps the time too: applied again later, it must not be newer than what came after it.
  const complete = { ...toStorable(received), revisedAt }
  const isEnded = endsBooking(complete.status)
  const revision = {
    targetId: target.id,
    id: complete.id,
    revisedAt,
    isEnded,
    isCurrent: complete.isCurrent === true,
    requestedAt,
  }
  const locked = await lockPmsBooking(transaction, revision)
  if (locked.is_superseded && complete.revision === null) return 'superseded'
  const linesBefore = locked.cancelled ? [] : locked.known_lines.filter(({ is_removed }) => !is_removed)
  const roomIds = [...complete.lines, ...linesBefore]
    .map(({ listing }) => listing)
    .filter((id) => id !== null)
  const rooms = new Map(
    (await listLinkedRooms(transaction, target.id, roomIds)).map((room) => [room.external_id, room]),
  )
  if (locked.is_outdated) {
    // The PMS may have counted its rooms, of which the newer one, which came first, knew nothing.
    await invalidateStays(transaction, target.id, listRecountedStays([], complete.lines, rooms))
    return 'outdated'
  }
  const stored =
    locked.external_ids.length > 0
      ? locked
      : { ...locked, external_ids: await adoptLines(transaction, target.id, complete, rooms) }
  const booking = await redactErased(transaction, target.id, complete, stored.external_ids)

  const known = await loadBookings(transaction, target.id, stored.external_ids)
  const unitIds = [
    ...[...rooms.values()].map(({ unit_id }) => unit_id),
    ...[...known.values()].map(({ unitId }) => unitId),
    ...(chosen ? [chosen.room.unit_id] : []),
  ]
  const [, taken] = await Promise.all([
    lockUnits(transaction, unitIds),
    takeBlocks(transaction, target.id, complete.id, unitIds),
  ])

  const assigned = assignExternalIds(booking, stored, known)
  const lines = booking.lines.map((line, at): RevisedLine => {
    const externalId = assigned.externalIds[at]!
    const linked = line.listing === null ? undefined : rooms.get(line.listing)
    const before = known.get(externalId)
    if (externalId === chosen?.externalId)
      return { externalId, line, room: chosen.room, before, isMovedHere: false }
    const { applied } = assigned.known[at]!
    return { externalId, ...mergeStay(line, linked, before, applied), room: linked, before }
  })
  const problems: LineProblem[] = isEnded
    ? []
    : lines
        .filter((line) => !isPlaceable(line))
        .map((line) => ({
          ...line,
          unitId: line.room?.unit_id,
          reason: unplaceableReason(line),
          bookingId: line.before?.id ?? null,
        }))
  if (booking.lines.length === 0 && !isEnded)
    problems.push({ externalId: booking.id, line: null, reason: 'incomplete' })

  const changedStays = listRecountedStays(linesBefore, isEnded ? [] : booking.lines, rooms)
  const placedIds = new Set<string>()
  const context = { target, booking, revisedAt, isReinstated: locked.cancelled && !isEnded }
  for (const before of listReleasedBookings(booking, known, lines)) {
    await applyExternalBooking(transaction, toCancellation(before, context))
    changedStays.push(before)
  }
  const placeable = booking.status === 'inquiry' ? [] : lines.filter(isPlaceable)
  const placements = await placeLines(transaction, placeable, (line) => toExternalBooking(line, context))
  const staysInConflict: StayInConflict[] = []
  for (const { line, external, applied } of placements) {
    const reason =
      applied.outcome === 'conflict'
        ? conflictReasons[applied.reason!]
        : planProblem(line, needsPlan && !isEnded && line.room !== chosen?.room)
    if (reason)
      problems.push({
        ...line,
        unitId: external.unitId,
        reason,
        bookingId: applied.bookingId,
        conflicts: applied.conflicts ?? [],
        fullNights: applied.fullNights ?? [],
      })
    if (reason === 'no_room') staysInConflict.push({ ...external, before: roomsHere(line.before, external) })
    if (applied.outcome !== 'conflict') placedIds.add(line.externalId)
    if (applied.outcome !== 'conflict' && applied.outcome !== 'unchanged')
      changedStays.push(...(line.before ? [line.before] : []), { unitId: line.room.unit_id, ...line.line })
  }
  await invalidateStays(transaction, target.id, changedStays)
  const knownLines = assigned.known.map((line, at): KnownLine => {
    const { arrival, departure, listing = null, rooms: count } = booking.lines[at] ?? {}
    if (!placedIds.has(line.external_id) || !arrival || !departure || !count) return line
    const unit_id = rooms.get(listing ?? '')?.unit_id ?? null
    return { ...line, applied: { listing, unit_id, arrival, departure, rooms: count } }
  })
  await savePmsBooking(transaction, revision, toRepeatable(booking, lines, placedIds), knownLines)
  await recordConflicts(transaction, target, booking, problems)
  await putBlocks(transaction, target.id, taken, staysInConflict)
  return 'applied'
}

/** The rooms of the unit that the booking here goes on having. */
const roomsHere = (before: Booking | undefined, { unitId }: ExternalBooking) =>
  before && before.unitId === unitId && takesRooms(before.status) ? before : undefined

/**
 * The revision for when it is applied again: without what the bookings here have of it, so that what users change of
 * the guest, the notes and the amount stays.
 */
const toRepeatable = (
  { guestName, guestEmail, guestPhone, notes, isCurrent, ...booking }: PmsBooking,
  lines: readonly RevisedLine[],
  placedIds: ReadonlySet<string>,
): PmsBooking => ({
  ...booking,
  lines: booking.lines.map((line, at) =>
    placedIds.has(lines[at]!.externalId) ? { ...line, totalCents: null, totalMajorUnits: null } : line,
  ),
})

const unplaceableReason = ({ room }: RevisedLine): PmsConflictReason =>
  room ? 'incomplete' : 'unlinked_room'

const conflictReasons = {
  'no-room': 'no_room',
  'unknown-unit': 'unlinked_room',
  'impossible-stay': 'impossible_stay',
} as const

const planProblem = ({ line, room }: PlaceableLine, needsPlan: boolean): PmsConflictReason | null =>
  needsPlan && !mappedPlan(line, room) ? 'unlinked_plan' : null

/** The bookings whose lines are no longer at the PMS. When the booking has ended, also those of incomplete lines. */
function listReleasedBookings(
  booking: PmsBooking,
  known: ReadonlyMap<string, Booking>,
  lines: readonly RevisedLine[],
): Booking[] {
  const live = [...known.values()].filter(({ status }) => !hasEnded(status))
  if (booking.status === 'inquiry') return live
  if (!endsBooking(booking.status) && !listsAllRooms(booking)) return []
  const kept = endsBooking(booking.status) ? lines.filter(isPlaceable) : lines
  return live.filter(({ externalId }) => !kept.some((line) => line.externalId === externalId))
}

/** Replaces the characters that PostgreSQL cannot store. */
const toStorable = (booking: PmsBooking): PmsBooking =>
  JSON.parse(
    JSON.stringify(booking, (_name, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
    ),
  ) as PmsBooking
