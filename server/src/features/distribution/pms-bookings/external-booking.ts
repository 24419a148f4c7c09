import { isCurrency } from '#schema/fields.ts'
import { fromMajorUnits } from '#integrations/pms/pms-amounts.ts'
import type { PmsBooking, PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import type { ExternalBooking } from '#features/reservations/bookings/apply-booking.ts'
import type { Booking, BookingStatus } from '#features/reservations/bookings/booking.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { PlaceableLine } from './place-lines.ts'
import type { LinkedRoom } from './queries.ts'

export interface RevisionContext {
  readonly target: TargetConnection
  readonly booking: PmsBooking
  readonly revisedAt: string
  readonly isReinstated: boolean
}

export const toExternalBooking = (
  { externalId, line, room, before, isMovedHere }: PlaceableLine,
  { target, booking, revisedAt, isReinstated }: RevisionContext,
): ExternalBooking => ({
  targetId: target.id,
  externalId,
  isReinstated,
  ...(isMovedHere && before
    ? { accountId: before.account_id, unitId: before.unitId, ratePlanId: before.ratePlanId }
    : {
        accountId: room.account_id,
        unitId: room.unit_id,
        ratePlanId: mappedPlan(line, room) ?? keptPlan(line, room, before),
      }),
  status: nextStatus(before, booking.status),
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

/** A PMS without rate plans does not change the one that the booking has here. */
const keptPlan = ({ plan }: PmsBookingLine, { unit_id }: LinkedRoom, before: Booking | undefined) =>
  plan === null && before?.unitId === unit_id ? before.ratePlanId : null

/** An amount keeps the currency that it was sent in; one without is in that of the booking here, or of the unit. */
function priceOf(
  line: PmsBookingLine,
  booking: PmsBooking,
  before: Booking | undefined,
  room: LinkedRoom,
): { totalCents: number; currency: string } {
  const sent = booking.currency !== null && isCurrency(booking.currency) ? booking.currency : null
  const currency = sent ?? before?.currency ?? room.currency
  const totalCents = line.totalCents ?? fromMajorUnits(line.totalMajorUnits, currency)
  if (totalCents === null && before) return { totalCents: before.totalCents, currency: before.currency }
  return { totalCents: totalCents ?? 0, currency }
}

/** Check-in and no-show are recorded here; the PMS goes on reporting such a booking as confirmed. */
function nextStatus(before: Booking | undefined, status: PmsBooking['status']): BookingStatus {
  if (status === 'inquiry') return 'cancelled'
  const hasPresence = before && ['checked_in', 'checked_out', 'no_show'].includes(before.status)
  return hasPresence && status === 'confirmed' ? before.status : status
}

/** Without the guest, which a cancellation does not change. */
export const toCancellation = (
  before: Booking,
  { target, booking, revisedAt }: RevisionContext,
): ExternalBooking => ({
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

export const mappedPlan = ({ plan }: PmsBookingLine, { rate_plans }: LinkedRoom) =>
  rate_plans.find(({ external_id }) => external_id === plan)?.rate_plan_id ?? null
