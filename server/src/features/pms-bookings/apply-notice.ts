import { atomically, type Scope } from '#db/scope.ts'
import { isCurrency, isDate } from '#fields.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import { nameIn, objectIn, timeIn, type NoticeBody } from '#outside/pms/pms-notice.ts'
import { raiseAlerts } from '../alerts/queries.ts'
import { applyExternalBooking, type ExternalBooking } from '../bookings/apply-booking.ts'
import { bookingStatuses, type BookingStatus } from '../bookings/booking.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import type { BookingNotice } from '../pms-events/act-on-message.ts'
import { unitBehind } from './queries.ts'

/** Brings a booking to what the PMS says; one that does not fit is raised, never dropped. */
export async function applyNotice(scope: Scope, notice: BookingNotice): Promise<void> {
  const { target } = notice
  if ((target.config.provider ?? 'sandbox') !== 'sandbox')
    throw new PmsFailure('internal', 'Bookings of this provider cannot be read yet.', {
      hint: 'Replay the message when this version has learned it.',
    })
  const data = objectIn(notice.body['data'])
  const externalId = nameIn(data['unit_external_id'])
  await atomically(scope, async (transaction) => {
    const unit = externalId === null ? undefined : await unitBehind(transaction, target.id, externalId)
    if (!unit)
      return await raiseAlerts(transaction, [
        conflict(
          target,
          null,
          `a booking came for ${externalId ?? 'a unit without a name'}, which is not linked.`,
        ),
      ])
    const booking = bookingIn(data, notice, unit)
    const { outcome, reason, conflicts } = await applyExternalBooking(transaction, booking)
    if (outcome === 'conflict')
      await raiseAlerts(transaction, [
        {
          ...conflict(target, unit.unit_id, `the booking ${booking.externalId} does not fit (${reason}).`),
          details: { external_id: booking.externalId, conflicts: conflicts ?? [] },
        },
      ])
  })
}

const conflict = ({ id, name, account_id }: TargetConnection, unitId: string | null, said: string) => ({
  account_id,
  kind: 'booking.conflict' as const,
  channel_target_id: id,
  unit_id: unitId,
  message: `${name}: ${said}`,
  hint: 'Move one of the bookings, or link the unit, and replay the message.',
})

function bookingIn(
  data: NoticeBody,
  { target, kind, occurredAt }: BookingNotice,
  unit: { unit_id: string; currency: string },
): ExternalBooking {
  const [id, arrival, departure] = [data['external_id'], data['check_in'], data['check_out']].map(nameIn)
  const currency = (nameIn(data['currency']) ?? unit.currency).toLowerCase()
  const cents = data['total_cents'] ?? 0
  if (!id || !arrival || !departure || !isDate(arrival) || !isDate(departure))
    throw unusable('external_id, check_in and check_out (days) say which booking it is')
  if (!Number.isSafeInteger(cents) || Number(cents) < 0 || !isCurrency(currency))
    throw unusable('total_cents is a whole number, and currency a code such as eur')
  return {
    targetId: target.id,
    externalId: id,
    accountId: target.account_id,
    unitId: unit.unit_id,
    ratePlanId: null,
    status: statusOf(kind, data['status']),
    guestName: nameIn(data['guest_name']) ?? 'Guest',
    guestEmail: nameIn(data['guest_email']),
    guestPhone: nameIn(data['guest_phone']),
    guests: countIn(data['guests']),
    rooms: countIn(data['rooms']),
    arrival,
    departure,
    totalCents: Number(cents),
    currency,
    notes: nameIn(data['notes']),
    revisedAt: timeIn(data['revised_at']) ?? occurredAt,
  }
}

function statusOf(kind: string, said: unknown): BookingStatus {
  if (kind === 'booking.cancelled') return 'cancelled'
  return bookingStatuses.find((status) => status === said) ?? 'confirmed'
}

const countIn = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000 ? Number(value) : 1

const unusable = (needed: string) =>
  new PmsFailure('validation_rejected', `The message cannot be used: ${needed}.`, {
    hint: 'Correct what the PMS sends.',
  })
